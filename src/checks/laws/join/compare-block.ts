import { isEqual } from '../../../core/json/equal.ts'
import { isObject } from '../../../core/json/values.ts'
import { type ConversationBlock, isModelText, requestBlockId } from '../../../core/state/block.ts'

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
