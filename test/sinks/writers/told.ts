import { canonicalize } from '../../../src/core/identity/canonical.ts'
import { asObject, asString, isObject, isString, parseJson } from '../../../src/core/json/values.ts'
import { type BlockOf, type ConversationBlock, isPrompt } from '../../../src/core/state/block.ts'
import type { UserContentPart } from '../../../src/core/state/content.ts'
import { absolutePath } from '../../../src/core/state/file-change.ts'
import type {
  ConversationThread,
  SessionConversationState,
  SubagentState,
} from '../../../src/core/state/session.ts'
import type { Todo } from '../../../src/core/state/todo.ts'
import { readPlanCall, readSharedCall } from '../../../src/programs/shared-tools.ts'
import type { PlanTarget } from '../../../src/sinks/plan/context.ts'
import { editOf } from '../../../src/sinks/plan/plan-call.ts'
import { withKeptBehind } from '../../../src/sinks/plan/result-parts.ts'

/** What a session says, whichever program wrote it. Ids, times and what only the program notes are left out. */
export interface Told {
  readonly entries: readonly unknown[]
  readonly todos: readonly Pick<Todo, 'text' | 'status'>[]
}

interface TellOptions {
  /** The programs whose tools the calls may have: first the one that the session is of. */
  readonly programs: readonly (string | undefined)[]
  /** The format of Codex keeps nothing of a command but its text, and of an edit only the files and whether it failed. */
  readonly asCodex?: boolean
  /** The agents of which the program has more than a call and a report. */
  readonly keepsAgents: PlanTarget['keepsAgents']
  /** The program has one text of a prompt, and then its images. */
  readonly joinsTexts?: boolean
  /** The program has an empty line between neighbouring answers. */
  readonly separatesAnswers?: boolean
  /** Whether both programs can hold such an entry of a plan. */
  holds(todo: Todo): boolean
}

/** Returns what a session says, in order: prompts, summaries, texts, calls with their results, and agents at the places of their calls. */
export function toldBy(state: SessionConversationState, options: TellOptions): Told {
  return threadTold(state, { ...options, state, isNested: false })
}

interface TellContext extends TellOptions {
  readonly state: SessionConversationState
  /** The thread is an agent's. */
  readonly isNested: boolean
}

function threadTold(thread: ConversationThread, context: TellContext): Told {
  const { todos = [] } = thread
  return {
    // What a compaction keeps stands behind its summary: the next model gets it there.
    entries: withKeptBehind(thread.blocks).flatMap((block) => blockTold(block, thread, context)),
    todos: todos.filter(context.holds).map(({ text, status }) => ({ text, status })),
  }
}

function blockTold(
  block: ConversationBlock,
  thread: ConversationThread,
  context: TellContext,
): readonly unknown[] {
  switch (block.type) {
    case 'user_message':
      if (block.origin === undefined) return [{ prompt: partsTold(block.content, context) }]
      if (block.origin !== 'summary') return []
      return isBehindHistory(block, thread)
        ? [{ prompt: partsTold(block.content, context) }]
        : [{ summary: summaryTold(block.content, context) }]
    case 'assistant_text':
      if (block.content === '') return []
      return [{ text: context.separatesAnswers ? block.content.trimEnd() : block.content }]
    case 'tool_use':
      return callTold(block, thread, context)
    case 'subagent': {
      const agent = context.state.subagents.find(({ toolUseId }) => toolUseId === block.toolUseId)
      return [{ agent: agent ? agentTold(agent, context) : {} }]
    }
    default:
      return []
  }
}

/** Whether the model reads a summary behind its history, as that of a branch that was left: no compaction has come since the last summary. */
function isBehindHistory(summary: ConversationBlock, { blocks }: ConversationThread): boolean {
  const before = blocks.slice(0, blocks.indexOf(summary))
  const last = before.findLastIndex((block) => block.type === 'user_message' && block.origin === 'summary')
  const isCompacted = before
    .slice(last + 1)
    .some((block) => block.type === 'system' && block.subtype === 'compaction')
  const hasHistory = before.some(({ type }) => type !== 'system' && type !== 'error')
  return hasHistory && !isCompacted
}

function callTold(
  block: BlockOf<'tool_use'>,
  { blocks }: ConversationThread,
  { programs, asCodex }: TellContext,
): readonly unknown[] {
  if (programs.some((program) => readPlanCall(program, block))) return []
  const result = blocks.find(
    (each): each is BlockOf<'tool_result'> =>
      each.type === 'tool_result' && each.toolUseId === block.toolUseId,
  )
  const output = outputTold(result?.output)
  const toolName = block.toolName.replace(/[^\w-]/g, '_').replace(/_call$/, '')
  const input = isObject(block.input) ? block.input : { input: block.input }
  const call =
    programs.map((program) => readSharedCall(program, { toolName, input })).find((each) => each) ??
    editOf({ toolName, input }, result?.changes)
  if (!call)
    return [
      { call: asCodex && input.changes ? filesTold(input) : { toolName, input: withoutDiff(input) }, output },
    ]
  if (!asCodex) return [{ call, output }]
  const { meaning, values } = call
  if (meaning === 'command') return [{ call: values, output }]
  const isEdit = meaning === 'edit' || meaning === 'write'
  return [
    isEdit ? { call: { files: [absolutePath(asString(values.path) ?? '', '/srv/demo')] } } : { call, output },
  ]
}

/** A writer adds the lines of a patch whose input names its files alone. */
function withoutDiff({ diff, ...input }: Readonly<Record<string, unknown>>): unknown {
  return input.changes ? input : { diff, ...input }
}

function filesTold({ changes }: Readonly<Record<string, unknown>>): unknown {
  return { files: (Array.isArray(changes) ? changes : []).map((change) => asObject(change).path) }
}

function agentTold(agent: SubagentState, context: TellContext): unknown {
  const { status, output, prompt } = agent
  const { keepsAgents, isNested } = context
  if (keepsAgents === 'none' || (keepsAgents === 'of main' && isNested))
    return { status, output: outputTold(output) }
  const { entries, todos } = threadTold(agent, { ...context, isNested: true })
  // A stream may have the prompt in the call alone.
  const first = prompt === undefined || agent.blocks.some(isPrompt) ? [] : [{ prompt }]
  return { status, output: outputTold(output), entries: [...first, ...entries], todos }
}

/** Gemini CLI has a frame around each summary. */
function summaryTold(content: string | readonly UserContentPart[], options: TellOptions): unknown {
  const told = partsTold(content, options)
  return isString(told) ? told.replace(/^<state_snapshot>\n?|\n?<\/state_snapshot>$/g, '') : told
}

/** A file may be told by its name alone. */
function partsTold(content: string | readonly UserContentPart[], { joinsTexts }: TellOptions): unknown {
  if (typeof content === 'string') return content
  const parts = content.map((part) => {
    if (part.type !== 'file') return part
    const { source, name = source.type === 'url' ? source.url : source.mediaType } = part
    return { type: 'text', text: `[file: ${name}]` } as const
  })
  const texts = parts.flatMap((part) => (part.type === 'text' ? [part.text] : []))
  const images = parts.filter(({ type }) => type === 'image')
  const text = { type: 'text', text: texts.join('\n') } as const
  const [only, ...others] = joinsTexts && texts.length > 0 ? [text, ...images] : parts
  return only?.type === 'text' && others.length === 0 ? only.text : parts
}

/** The texts with which a writer fills what a session does not have. */
const FILLERS: ReadonlySet<unknown> = new Set([
  'The session was cut here: the call has not returned a result.',
  'The agent ended without a report.',
])

/** Returns the texts of an output in one, and its images. */
function outputTold(output: unknown): unknown {
  const parts: readonly unknown[] = Array.isArray(output) ? output : [output]
  const told = parts.map(partTold).filter((part) => part !== '' && !FILLERS.has(part))
  return told.length === 0 ? undefined : told.join('\n')
}

function partTold(part: unknown): string {
  const text = isString(part) ? part : asString(asObject(part).text)
  if (text !== undefined) return text.split('\n').map(lineTold).join('\n')
  return part === undefined || part === null ? '' : (imageTold(part) ?? canonicalize(part))
}

/** JSON may have its fields in another order. */
function lineTold(line: string): string {
  const value = /^[[{]/.test(line) ? parseJson(line) : undefined
  return value === undefined ? line : canonicalize(value)
}

/** An image is told by its bytes: programs have them in fields of many names. */
function imageTold(part: unknown): string | undefined {
  const text = JSON.stringify(part)
  if (!/image/.test(text)) return undefined
  return /base64,([\w+/]+=*)/.exec(text)?.[1] ?? /[\w+/]{20,}=*/.exec(text)?.[0]
}
