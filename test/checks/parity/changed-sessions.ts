import fc from 'fast-check'
import {
  type ConversationBlock,
  type ConversationThread,
  findConversation,
  type SubagentState,
} from '../../../src/entries/index.ts'
import { compareSessions, type SessionDifference, type Side } from '../../../src/entries/parity.ts'
import { allSessions, otherSide, type Session } from './sessions.ts'

/** A conversation of a session. */
export interface Place {
  readonly session: Session
  readonly conversationId: string
}

export const places: readonly Place[] = allSessions.flatMap((session) =>
  ['main', ...session.live.subagents.map(({ toolUseId }) => toolUseId)].map((conversationId) => ({
    session,
    conversationId,
  })),
)

export const side: fc.Arbitrary<Side> = fc.constantFrom<Side>('live', 'stored')

export function threadOf({ session, conversationId }: Place, side: Side): ConversationThread {
  return findConversation(session[side], conversationId) ?? { blocks: [], usage: [] }
}

/** Identifies a call by its `toolUseId`: its block id differs if the stream does not forward its whole message. */
export const keyOf = (block: ConversationBlock): string =>
  block.type === 'tool_use' ? block.toolUseId : block.id

/** The keys of the blocks that are final on both sides. */
function sharedBlocks(place: Place): readonly string[] {
  const stored = new Map(threadOf(place, 'stored').blocks.map((block) => [keyOf(block), block]))
  return threadOf(place, 'live')
    .blocks.filter((block) => isFinished(block) && isFinished(stored.get(keyOf(block))))
    .map(keyOf)
}

const isFinished = (block: ConversationBlock | undefined) =>
  block !== undefined && block.status !== 'pending' && block.status !== 'running'

export function blockOf(place: Place, side: Side, key: string): ConversationBlock {
  const block = threadOf(place, side).blocks.find((each) => keyOf(each) === key)
  if (!block) throw new RangeError(`no block ${key}`)
  return block
}

/** Returns the session with a change in a conversation of one side. */
export function changed(
  { session, conversationId }: Place,
  side: Side,
  change: (thread: ConversationThread) => Partial<SubagentState>,
): Session {
  const state = session[side]
  const after =
    conversationId === 'main'
      ? { ...state, ...change(state) }
      : {
          ...state,
          subagents: state.subagents.map((each) =>
            each.toolUseId === conversationId ? { ...each, ...change(each) } : each,
          ),
        }
  return { ...session, [side]: after }
}

export const differencesOf = ({ live, stored }: Session): readonly SessionDifference[] =>
  compareSessions(live, stored).differences

/** The values of a difference by side, without undefined ones. */
export const values = (side: Side, own: unknown, other: unknown): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    [
      [side, own],
      [otherSide(side), other],
    ].filter(([, value]) => value !== undefined),
  )

/** The conversations with blocks that are final on both sides, and the keys of those blocks. */
export const withBlocks: readonly { readonly place: Place; readonly keys: readonly string[] }[] = places
  .map((place) => ({ place, keys: sharedBlocks(place) }))
  .filter(({ keys }) => keys.length > 0)

export const blockPlace: fc.Arbitrary<{
  readonly place: Place
  readonly key: string
  readonly side: Side
}> = fc
  .constantFrom(...withBlocks)
  .chain(({ place, keys }) => fc.record({ place: fc.constant(place), key: fc.constantFrom(...keys), side }))

/** Returns another value for each field with content. */
export function changesOf(block: ConversationBlock): readonly (readonly [string, unknown])[] {
  const status = block.type === 'subagent' ? ['success', 'error'] : ['complete', 'error']
  const own: readonly (readonly [string, unknown])[] = [
    ['status', status.find((other) => other !== block.status)],
  ]
  switch (block.type) {
    case 'user_message':
    case 'assistant_text':
    case 'thinking':
    case 'skill_load':
      return [...own, ['content', typeof block.content === 'string' ? `${block.content}!` : []]]
    case 'tool_use':
      return [...own, ['input', { was: block.input }], ['toolName', `${block.toolName}!`]]
    case 'tool_result':
      return [...own, ['output', [block.output]], ['isError', !block.isError]]
    case 'subagent':
      return [...own, ['input', `${block.input}!`], ['output', `${block.output ?? ''}!`]]
    case 'request':
      return [...own, ['title', `${block.title}!`], ['denied', block.denied !== true]]
    case 'system':
    case 'error':
      return [...own, ['message', `${block.message}!`]]
  }
}
