import { compositeKey } from '../../../core/json/lists.ts'
import { reduceSessionEvent } from '../../../core/reducer/reduce.ts'
import { type ConversationBlock, isPending, toolResultBlockId } from '../../../core/state/block.ts'
import { type ConversationThread, MAIN, type SessionConversationState } from '../../../core/state/session.ts'
import { compareAgents } from './compare-agents.ts'
import { isSameContent, worseField } from './compare-block.ts'
import { compareTurn } from './compare-turn.ts'
import { compareUsage } from './compare-usage.ts'
import type { Join, JoinedThread, PartFault } from './join.ts'

/** Returns the parts of a joined state that break the law. */
export function joinFaults(given: Join): readonly PartFault[] {
  const { joined } = given
  const history = withCalls(given.history, joined)
  const open = withCalls(given.open, joined)
  const ended = withCalls(given.ended, joined)
  const join = { ...given, history, open, ended }
  const { live } = join
  const threads = {
    joined: threadsOf(joined),
    history: threadsOf(history),
    open: threadsOf(open),
    ended: threadsOf(ended),
    alive: threadsOf(live.state),
  }
  const ids = new Set(Object.values(threads).flatMap((byId) => [...byId.keys()]))
  const faults = [...ids].flatMap((id) => {
    const threadIn = (name: keyof typeof threads) => threads[name].get(id) ?? EMPTY
    const thread: JoinedThread = {
      id,
      joined: threadIn('joined'),
      history: threadIn('history'),
      open: threadIn('open'),
      ended: threadIn('ended'),
      alive: threadIn('alive'),
    }
    return [
      ...keptBlocks(thread, join),
      ...addedBlocks(thread),
      ...liveBlocks(thread, join),
      ...doubledTexts(thread),
      ...orderOf(thread),
      ...compareUsage(thread, join),
    ]
  })
  return [...faults, ...compareAgents(join), ...compareTurn(join)]
}

/** Returns the state with the calls of its agents. An agent's own id stands for its call as long as the call is not known. */
function withCalls(
  state: SessionConversationState,
  joined: SessionConversationState,
): SessionConversationState {
  const calls = new Map(joined.subagents.map(({ agentId, toolUseId }) => [agentId, toolUseId]))
  return state.subagents.reduce((renamed, { toolUseId: formerId, agentId, parentConversationId }) => {
    const toolUseId = formerId === agentId ? calls.get(agentId) : undefined
    if (toolUseId === undefined || toolUseId === formerId) return renamed
    const call = { type: 'subagent:spawned', toolUseId, formerId, prompt: '' } as const
    return reduceSessionEvent(renamed, { ...call, conversationId: parentConversationId ?? MAIN })
  }, state)
}

const EMPTY: ConversationThread = { blocks: [], usage: [] }

function threadsOf(state: SessionConversationState): ReadonlyMap<string, ConversationThread> {
  return new Map<string, ConversationThread>([
    [MAIN, state],
    ...state.subagents.map((agent): [string, ConversationThread] => [agent.toolUseId, agent]),
  ])
}

function byKey({ blocks }: ConversationThread): ReadonlyMap<string, ConversationBlock> {
  return new Map(blocks.map((block) => [keyOf(block), block]))
}

/** A request has the key of its call, because a file does not have the request's own id. */
function keyOf(block: ConversationBlock): string {
  return block.type === 'request' && block.toolUseId !== undefined
    ? compositeKey('request', block.toolUseId)
    : block.id
}

function partOf(block: ConversationBlock, conversationId: string): string {
  return `block ${block.id} of ${conversationId}`
}

/** The history's blocks stay, and lose no field. A live message may complete or remove them. */
function keptBlocks(
  { id, joined, history, open, alive }: JoinedThread,
  { live, cut }: Join,
): readonly PartFault[] {
  const [blocks, unended, streamed] = [byKey(joined), byKey(open), byKey(alive)]
  return history.blocks.flatMap((expected): readonly PartFault[] => {
    const actual = blocks.get(keyOf(expected))
    const removedAt = live.removedAt.get(compositeKey(id, expected.id)) ?? -1
    const part = partOf(expected, id)
    if (!actual) return removedAt < cut ? [{ code: 'lost', part, expected }] : []
    const isOpen = isPending(unended.get(keyOf(expected)) ?? expected)
    const field = worseField(actual, { expected, isOpen, live: streamed.get(keyOf(expected)) })
    return field === undefined ? [] : [{ code: 'overwritten', part: `${field} of ${part}`, actual, expected }]
  })
}

/** No block comes from nowhere. */
function addedBlocks({ id, joined, history, ended, alive }: JoinedThread): readonly PartFault[] {
  const known = new Set([history, ended, alive].flatMap(({ blocks }) => blocks.map(keyOf)))
  return joined.blocks
    .filter((block) => !known.has(keyOf(block)))
    .map((actual) => ({ code: 'doubled', part: partOf(actual, id), actual }))
}

/**
 * The blocks of the live messages from the cut on are there, and whole. A request may be missing: one without an answer, if the history has the result of its
 * call. A block may be in a branch: a stream may not show that the person went back.
 */
function liveBlocks(
  { id, joined, history, alive }: JoinedThread,
  { live, cut, joined: { branches = [] } }: Join,
): readonly PartFault[] {
  const [blocks, stored] = [byKey(joined), byKey(history)]
  const abandoned = new Set(branches.flatMap((branch) => branch.blocks.map((block) => block.id)))
  return alive.blocks.flatMap((expected): readonly PartFault[] => {
    const completedAt = live.completedAt.get(compositeKey(id, expected.id)) ?? -1
    if (stored.has(keyOf(expected)) || completedAt < cut || isOver(expected, stored)) return []
    if (id === MAIN && abandoned.has(expected.id)) return []
    const actual = blocks.get(keyOf(expected))
    if (actual && isSameContent(actual, expected)) return []
    return [{ code: 'incomplete', part: partOf(expected, id), actual, expected }]
  })
}

function isOver(block: ConversationBlock, stored: ReadonlyMap<string, ConversationBlock>): boolean {
  if (block.type !== 'request' || block.answer !== undefined) return false
  return stored.has(toolResultBlockId(block.toolUseId ?? ''))
}

/** No message has a text more often than in the history or in the stream. */
function doubledTexts({ id, joined, history, alive }: JoinedThread): readonly PartFault[] {
  const [stored, streamed] = [textCounts(history), textCounts(alive)]
  return [...textCounts(joined)].flatMap(([key, count]): readonly PartFault[] => {
    const most = Math.max(stored.get(key) ?? 0, streamed.get(key) ?? 0)
    return most > 0 && count > most ? [{ code: 'doubled', part: `a text of ${id}`, actual: key }] : []
  })
}

function textCounts({ blocks }: ConversationThread): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const block of blocks) {
    if (block.type !== 'assistant_text' && block.type !== 'thinking') continue
    const key = compositeKey(block.messageId ?? '', block.type, block.content)
    counts.set(key, (counts.get(key) ?? 0) + 1)
  }
  return counts
}

const PLACED_FREELY: ReadonlySet<string> = new Set(['request', 'tool_result'])

/** The history's blocks keep their order, and the stream's new blocks too. A result or a request may have any place. */
function orderOf({ id, joined, history, alive }: JoinedThread): readonly PartFault[] {
  const stored = new Set(history.blocks.map(({ id }) => id))
  const added = alive.blocks.filter(({ id, type }) => !stored.has(id) && !PLACED_FREELY.has(type))
  return [history.blocks, added].flatMap((blocks): readonly PartFault[] => {
    const wanted = new Set(blocks.map(({ id }) => id))
    const actual = joined.blocks.map(({ id }) => id).filter((id) => wanted.has(id))
    const present = new Set(actual)
    const expected = blocks.map(({ id }) => id).filter((id) => present.has(id))
    if (actual.every((blockId, at) => blockId === expected[at])) return []
    return [{ code: 'reordered', part: `the order of the blocks of ${id}`, actual, expected }]
  })
}
