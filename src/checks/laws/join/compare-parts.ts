import { isEqual } from '../../../core/json/equal.ts'
import { isObject } from '../../../core/json/values.ts'
import { type ConversationBlock, isModelText, requestBlockId } from '../../../core/state/block.ts'
import type { SubagentState } from '../../../core/state/session.ts'
import { hasEnded, isFinal } from '../../../core/state/subagent.ts'
import type { Join, PartFault } from './live-run.ts'

/** The facts of a block that only one side may know, or that a later message changes. */
const OTHER_FACTS: ReadonlySet<string> = new Set([
  'timestamp',
  'status',
  'model',
  'durationMs',
  'messageId',
  'data',
  'code',
])

/** Whether both blocks have the same content. An agent's output comes with its end. Only a stream has a request's id and words. */
export function isSameContent(left: ConversationBlock, right: ConversationBlock): boolean {
  return isEqual(contentOf(left), contentOf(right))
}

function contentOf(block: ConversationBlock): unknown {
  const isContent = (name: string) =>
    !OTHER_FACTS.has(name) &&
    !(block.type === 'subagent' && name === 'output') &&
    !(block.type === 'request' && STREAM_FIELDS.has(name))
  return Object.fromEntries(Object.entries(block).filter(([name]) => isContent(name)))
}

/** The fields that a later message may change while the block is not final. */
const OPEN_FIELDS: ReadonlySet<string> = new Set(['content', 'message', 'data', 'output', 'inputText'])

/** A block of the history, and what the live stream may do with it. */
interface KeptBlock {
  readonly expected: ConversationBlock
  /** Whether the block was open before the end of the history's input. */
  readonly isOpen: boolean
  /** The block in the live stream. */
  readonly live: ConversationBlock | undefined
}

/** Returns the first field of a block that lacks a fact of the history, or has another one than both the history and the stream. */
export function worseField(
  actual: ConversationBlock,
  { expected, isOpen, live }: KeptBlock,
): string | undefined {
  if (actual.type !== expected.type) return 'type'
  const worse = Object.entries(expected).find(([name, value]) => {
    const now: unknown = Reflect.get(actual, name)
    if (isEqual(now, value)) return false
    if (name === 'status') return !isOpen && expected.type !== 'subagent' && expected.type !== 'tool_use'
    if (isOpen && name === 'input') return !isUnknownInput(value)
    if (isOpen && name === 'inputText') return false
    if (name === 'content' && isModelText(expected) && !isLonger(now, value)) return true
    const mayChange =
      (isOpen && OPEN_FIELDS.has(name)) ||
      (expected.type === 'subagent' && END_FIELDS.has(name)) ||
      (isOpen && isOfCallAlone(expected) && STREAM_FIELDS.has(name))
    return !mayChange || !live || !isEqual(now, Reflect.get(live, name))
  })
  return worse?.[0]
}

/** Whether a text goes on with an earlier text. */
function isLonger(now: unknown, earlier: unknown): boolean {
  return typeof now === 'string' && typeof earlier === 'string' && now.startsWith(earlier)
}

/** The end of a later run changes these. */
const END_FIELDS: ReadonlySet<string> = new Set(['output', 'durationMs'])

/** The fields of a request that only a stream has. */
const STREAM_FIELDS: ReadonlySet<string> = new Set(['id', 'title'])

/** Whether the block is a request that only its call shows. The live request takes its place. */
function isOfCallAlone(block: ConversationBlock): boolean {
  return block.type === 'request' && block.id === requestBlockId(block.toolUseId ?? '')
}

/** Whether the input is that of a call whose start alone is known. */
function isUnknownInput(input: unknown): boolean {
  return input === '' || (isObject(input) && Object.keys(input).length === 0)
}

/** The facts of an agent that stay once they are known. */
const KEPT_FACTS = ['agentId', 'name', 'description', 'prompt', 'parentConversationId'] as const

/** The facts that a later run may change. */
const RUN_FACTS = ['status', 'output', 'durationMs'] as const

/** Agents stay, keep their facts, and end as the stream says if the history does not have their end. */
export function compareAgents({ joined, history, live, cut }: Join): readonly PartFault[] {
  const agents = byToolUse(joined.subagents)
  const streamed = byToolUse(live.state.subagents)
  const kept = history.subagents.flatMap((expected): readonly PartFault[] => {
    const actual = agents.get(expected.toolUseId)
    const part = partOf(expected)
    if (!actual) return [{ code: 'lost', part, expected: factsOf(expected) }]
    const fact = lostFact(actual, expected, streamed.get(expected.toolUseId))
    const facts = { actual: factsOf(actual), expected: factsOf(expected) }
    return fact === undefined ? [] : [{ code: 'overwritten', part: `${fact} of ${part}`, ...facts }]
  })
  const known = new Set(history.subagents.filter(hasEnded).map(({ toolUseId }) => toolUseId))
  const ended = live.state.subagents.flatMap((expected): readonly PartFault[] => {
    const actual = agents.get(expected.toolUseId)
    if (!actual || !isFinal(expected.status)) return []
    const endsHere = (live.endedAt.get(expected.toolUseId) ?? -1) >= cut && !known.has(expected.toolUseId)
    if (isFinal(actual.status) && !(endsHere && lacksEnd(actual, expected))) return []
    const part = `the end of ${partOf(expected)}`
    return [{ code: 'incomplete', part, actual: factsOf(actual), expected: factsOf(expected) }]
  })
  return [...kept, ...ended]
}

function byToolUse(agents: readonly SubagentState[]): ReadonlyMap<string, SubagentState> {
  return new Map(agents.map((agent) => [agent.toolUseId, agent]))
}

/** Returns the first fact of the history that the agent lacks. */
function lostFact(
  actual: SubagentState,
  expected: SubagentState,
  live: SubagentState | undefined,
): string | undefined {
  const isLost = (name: (typeof KEPT_FACTS | typeof RUN_FACTS)[number]) =>
    expected[name] !== undefined && actual[name] !== expected[name]
  const kept = KEPT_FACTS.find(isLost)
  if (kept !== undefined || !hasEnded(expected)) return kept
  return RUN_FACTS.find((name) => isLost(name) && actual[name] !== live?.[name])
}

function lacksEnd(actual: SubagentState, expected: SubagentState): boolean {
  return RUN_FACTS.some((name) => expected[name] !== undefined && actual[name] !== expected[name])
}

function partOf({ toolUseId }: SubagentState): string {
  return `agent ${toolUseId}`
}

function factsOf({ blocks, usage, ...facts }: SubagentState): unknown {
  return facts
}
