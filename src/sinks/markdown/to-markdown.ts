import { assertNever } from '../../core/json/values.ts'
import { isCutCall } from '../../core/selectors/call-status.ts'
import { fileChanges } from '../../core/selectors/file-changes.ts'
import { findSubagent } from '../../core/selectors/find.ts'
import {
  factsOfAgent,
  factsOfBlock,
  type WalkedAgent,
  type WalkStep,
  walkConversation,
} from '../../core/selectors/walk.ts'
import { MAIN, type SessionConversationState } from '../../core/state/session.ts'
import { type MarkdownOptions, withDefaults } from '../../redaction/options.ts'
import { redactSession } from '../../redaction/session.ts'
import { agentSummary, outputOfAgent, promptOfAgent } from './agent.ts'
import { blockPieces, requestPieces } from './block.ts'
import { agentHead, planPieces, sessionHead } from './head.ts'
import { SessionText } from './text/session-text.ts'
import { Details } from './text/summary.ts'
import { plural } from './text/values.ts'
import { callPiece, resultPiece, type Writer } from './tool-call.ts'

/**
 * Returns a session as a Markdown document for people. It begins with the facts of the session. Prompts are headings with their answers
 * below. Thinking, tool calls and agents are collapsed. The same state gives the same text, and its end is a line break.
 *
 * Prompts and answers keep their Markdown. Raw HTML in them is escaped outside code, images become links, and headings move two levels
 * down. Inputs and outputs of tools are always blocks of code. So no text of a session can run as HTML, or end the part that it is in.
 *
 * Throws a `RangeError` if the state has no conversation with that `conversationId`, or if `toolOutputLines` is no whole number from 0.
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
