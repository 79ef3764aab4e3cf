import { assertNever } from '../../core/json/values.ts'
import { isCutCall } from '../../core/selectors/call-input.ts'
import { errorText } from '../../core/selectors/failure.ts'
import { fileChanges } from '../../core/selectors/file-changes.ts'
import { findSubagent } from '../../core/selectors/find.ts'
import { STATUS_WORDS } from '../../core/selectors/status.ts'
import {
  factsOfAgent,
  factsOfBlock,
  type PlainBlock,
  type WalkedAgent,
  type WalkStep,
  walkConversation,
} from '../../core/selectors/walk.ts'
import type { BlockOf, UserMessageOrigin } from '../../core/state/block.ts'
import type { RequestOption } from '../../core/state/request.ts'
import { MAIN, type SessionConversationState } from '../../core/state/session.ts'
import { type MarkdownOptions, withDefaults } from '../../redaction/options.ts'
import { redactSession } from '../../redaction/session.ts'
import { agentSummary, outputOfAgent, promptOfAgent } from './agent.ts'
import { agentHead, planPieces, sessionHead } from './head.ts'
import { agentPromptPieces, injectedPiece, promptPieces } from './message.ts'
import { Details, SessionText } from './text/session-text.ts'
import { plural } from './text/values.ts'
import { callPiece, changePieces, resultPiece, type Writer } from './tool-call.ts'

/**
 * Returns a session as a Markdown document for people. It begins with the facts of the session. Prompts are headings
 * with their answers below. Thinking, tool calls and agents are collapsed. The same state gives the same text, and
 * its end is a line break.
 *
 * Prompts and answers keep their Markdown. Raw HTML in them is escaped outside code, images become links, and
 * headings move two levels down. Inputs and outputs of tools are always blocks of code. So no text of a session can
 * run as HTML, or end the part that it is in.
 *
 * Throws a `RangeError` if the state has no conversation with that `conversationId`, or if `toolOutputLines` is no
 * whole number from 0.
 */
export function toMarkdown(state: SessionConversationState, options: MarkdownOptions = {}): string {
  const { conversationId = MAIN, details, ...rest } = withDefaults(options)
  const shown = options.redact ? redactSession(state, options.redact) : state
  const document = new Document(shown, { text: new SessionText(rest), details: new Details(details) })
  return document.write(conversationId)
}

class Document {
  readonly #state: SessionConversationState
  readonly #writer: Writer

  constructor(state: SessionConversationState, writer: Writer) {
    this.#state = state
    this.#writer = writer
  }

  write(conversationId: string): string {
    const pieces = conversationId === MAIN ? this.#session() : this.#agentAlone(conversationId)
    return `${[...pieces].filter((piece) => piece !== '').join('\n\n')}\n`
  }

  *#session(): Generator<string, void> {
    yield* sessionHead(this.#writer, this.#state)
    yield* planPieces(this.#writer.text, this.#state)
    yield* this.#conversation(MAIN)
  }

  *#agentAlone(conversationId: string): Generator<string, void> {
    const { text } = this.#writer
    const agent = findSubagent(this.#state, conversationId)
    if (!agent) throw new RangeError(`the state has no conversation ${JSON.stringify(conversationId)}`)
    const changes = fileChanges(this.#state).filter((change) => change.conversationId === agent.toolUseId)
    yield* agentHead(this.#writer, agent, changes)
    yield* promptOfAgent(text, agent, agent.blocks)
    yield* planPieces(text, agent)
    yield* this.#conversation(agent.toolUseId)
    yield* outputOfAgent(text, agent, agent.blocks)
  }

  *#conversation(conversationId: string): Generator<string, void> {
    for (const step of walkConversation(this.#state, conversationId)) yield* this.#stepPieces(step)
  }

  #stepPieces(step: WalkStep): readonly string[] {
    const writer = this.#writer
    switch (step.type) {
      case 'block':
        return blockPieces(writer, step.block, step.isMain)
      case 'call':
        return [
          callPiece(writer, { ...step, isCut: isCutCall(this.#state, step.call) }),
          ...step.requests.flatMap((request) => requestPieces(writer.text, request)),
        ]
      case 'result':
        return [resultPiece(writer, step.result)]
      case 'agent':
        return this.#agentStart(step)
      case 'agent-end':
        return this.#agentEnd(step)
      case 'agent-block':
        return [this.#agentBlock(step)]
      case 'branch':
        return [
          writer.details.open([
            { bold: 'Abandoned branch' },
            `(${plural(step.branch.blocks.length, 'block')})`,
          ]),
        ]
      case 'branch-end':
        return [writer.details.close([{ bold: 'End of the abandoned branch' }])]
      default:
        return assertNever(step)
    }
  }

  #agentStart(walked: WalkedAgent): readonly string[] {
    const { text, details } = this.#writer
    const { agent, lineage } = walked
    const calls = agent.blocks.filter(({ type }) => type === 'tool_use').length
    const facts = factsOfAgent(walked)
    const summary = agentSummary(text, facts, { calls, lineage })
    return [details.open(summary), ...promptOfAgent(text, facts, agent.blocks), ...planPieces(text, agent)]
  }

  #agentEnd(walked: WalkedAgent): readonly string[] {
    const { text, details } = this.#writer
    const { agent } = walked
    const output = outputOfAgent(text, factsOfAgent(walked), agent.blocks)
    return [...output, details.close([{ bold: `End of agent ${text.short(agent.name ?? '')}`.trim() }])]
  }

  /** Returns the block of an agent whose conversation is elsewhere, or not known. A forked agent repeats such blocks of its parent. */
  #agentBlock({ block, isElsewhere }: Extract<WalkStep, { readonly type: 'agent-block' }>): string {
    const { text, details } = this.#writer
    const facts = factsOfBlock(block)
    const summary = agentSummary(text, facts, { calls: 0, lineage: 'child' })
    if (isElsewhere) return details.around([...summary, 'its conversation is elsewhere in this document'], [])
    return details.around(summary, [...promptOfAgent(text, facts, []), ...outputOfAgent(text, facts, [])])
  }
}

/** Returns the pieces of a block that is no call, no result and no agent. */
function blockPieces(writer: Writer, block: PlainBlock, isMain: boolean): readonly string[] {
  const { text, details } = writer
  switch (block.type) {
    case 'user_message':
      return messagePieces(writer, block, isMain)
    case 'assistant_text':
      return [text.prose(block.content)]
    case 'thinking':
      return block.content.trim() === ''
        ? []
        : [details.around([{ bold: 'Thinking' }], [text.prose(block.content)])]
    case 'request':
      return requestPieces(text, block)
    case 'error':
      return errorPieces(writer, block)
    case 'skill_load':
      return [details.around([{ bold: 'Skill' }, text.short(block.skillName)], [text.prose(block.content)])]
    case 'system':
      return [systemPiece(writer, block)]
    default:
      return assertNever(block)
  }
}

function messagePieces(writer: Writer, block: BlockOf<'user_message'>, isMain: boolean): readonly string[] {
  const { text, details } = writer
  const { origin, content, changes = [] } = block
  const files = changes.flatMap((change) => changePieces(text, change))
  const sum = files.length === 0 ? [] : [details.around([{ bold: 'Files that the turn changed' }], files)]
  if (origin !== undefined) return [injectedPiece(writer, withOrigin(block, origin)), ...sum]
  return [...(isMain ? promptPieces(text, block, '##') : agentPromptPieces(text, content)), ...sum]
}

function withOrigin(
  block: BlockOf<'user_message'>,
  origin: UserMessageOrigin,
): BlockOf<'user_message'> & { readonly origin: UserMessageOrigin } {
  return { ...block, origin }
}

function errorPieces({ text }: Writer, { message, code }: BlockOf<'error'>): readonly string[] {
  const name = code === undefined || code === '' ? 'Error' : `Error ${text.inline(code)}`
  const words = errorText(message)
  const line = text.short(words, 300)
  const isLine = line === text.redacted(words).trim()
  return isLine ? [`> **${name}:** ${text.inline(line, 300)}`] : [`> **${name}:**`, text.block(words)]
}

/** Returns a report of the program: one line, or collapsed if it has more. */
function systemPiece({ text, details }: Writer, { subtype, message }: BlockOf<'system'>): string {
  const name = text.short(subtype).replaceAll('_', ' ')
  const line = text.short(message, 200)
  if (line === text.redacted(message).trim())
    return `*${text.inline(name)}*${line === '' ? '' : `: ${text.inline(line, 200)}`}`
  return details.around([{ bold: name }, text.first(message)], [text.block(message)])
}

type Request = BlockOf<'request'>

/** Returns what the program asked the person, and the answer. */
function requestPieces(text: SessionText, request: Request): readonly string[] {
  const { kind, title, questions = [], options = [], comment } = request
  const name = kind === 'permission' ? 'Permission' : 'Question'
  const list =
    questions.length > 0
      ? questions.flatMap((each, at) => questionLines(text, request, each, at))
      : optionLines(text, options)
  return [
    `> **${name}:** ${text.inline(title, 300)} → ${answerOf(text, request)}`,
    list.join('\n'),
    ...(comment === undefined ? [] : [`Comment: ${text.inline(comment, 1000)}`]),
  ]
}

function questionLines(
  text: SessionText,
  { answer }: Request,
  { text: question, options }: NonNullable<Request['questions']>[number],
  at: number,
): readonly string[] {
  const answers = typeof answer === 'object' ? (answer[at] ?? []) : []
  const chosen =
    answers.length === 0 ? '' : ` **${answers.map((each) => text.inline(each, 300)).join(', ')}**`
  return [
    `- ${text.inline(question, 1000)}${chosen}`,
    ...optionLines(text, options).map((line) => `  ${line}`),
  ]
}

function optionLines(text: SessionText, options: readonly RequestOption[]): readonly string[] {
  return options.map(({ label, description }) => {
    const more = description === undefined || description === '' ? '' : `: ${text.inline(description, 300)}`
    return `- ${text.inline(label, 300)}${more}`
  })
}

function answerOf(text: SessionText, { status, answer, denied, options = [] }: Request): string {
  if (denied) return `**denied**${typeof answer === 'string' ? ` (${labelOf(text, options, answer)})` : ''}`
  if (typeof answer === 'string') return `**${labelOf(text, options, answer)}**`
  if (answer !== undefined) return 'answered'
  return status === 'pending' ? `**${STATUS_WORDS.waiting}**` : 'no answer is known'
}

function labelOf(text: SessionText, options: readonly RequestOption[], id: string): string {
  return text.inline(options.find((option) => option.id === id)?.label ?? id, 300)
}
