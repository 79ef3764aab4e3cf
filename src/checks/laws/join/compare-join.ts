import { compositeKey } from '../../../core/json/lists.ts'
import { reduceSessionEvent } from '../../../core/reducer/reduce.ts'
import { messageOfResult } from '../../../core/reducer/usage.ts'
import {
  type ConversationBlock,
  isPending,
  isRewindMark,
  messageIdOf,
  toolResultBlockId,
} from '../../../core/state/block.ts'
import {
  type ConversationThread,
  MAIN,
  type MessageUsage,
  type SessionConversationState,
} from '../../../core/state/session.ts'
import { compareAgents, isSameContent, worseField } from './compare-parts.ts'
import type { Join, JoinedThread, PartFault } from './live-run.ts'

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
      ...doubledPrompts(thread),
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
 * The blocks of the live messages from the cut on are there, and whole. A request may be missing: one without an
 * answer, if the history has the result of its call. A block may be in a branch: a stream may not show that the
 * person went back.
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
    // A file may have no ids of messages. The law of doubled texts counts such a message.
    const words = messageKey(expected)
    if (!actual && words !== undefined && history.blocks.some((block) => messageKey(block) === words))
      return []
    // The id of a mark is that of the first block that the person took back.
    if (isRewindMark(expected) && history.blocks.some(isRewindMark)) return []
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

/** Returns the type and the words of a message of the person or of the model. */
function messageKey(block: ConversationBlock): string | undefined {
  if (block.type !== 'assistant_text' && block.type !== 'thinking' && block.type !== 'user_message')
    return undefined
  return JSON.stringify([block.type, block.content])
}

/** No prompt is there more often than in the history or in the stream. */
function doubledPrompts({ id, joined, history, alive }: JoinedThread): readonly PartFault[] {
  const countsOf = ({ blocks }: ConversationThread) => {
    const counts = new Map<string, number>()
    for (const block of blocks) {
      const key = block.type === 'user_message' ? messageKey(block) : undefined
      if (key !== undefined) counts.set(key, (counts.get(key) ?? 0) + 1)
    }
    return counts
  }
  const [stored, streamed] = [countsOf(history), countsOf(alive)]
  return [...countsOf(joined)].flatMap(([key, count]): readonly PartFault[] => {
    const most = Math.max(stored.get(key) ?? 0, streamed.get(key) ?? 0)
    return most > 0 && count > most ? [{ code: 'doubled', part: `a prompt of ${id}`, actual: key }] : []
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

/** Final tokens stay, and the stream's final tokens are there if the messages from the cut on name their message. */
function compareUsage(
  { id, joined, history, alive }: JoinedThread,
  { live, cut }: Join,
): readonly PartFault[] {
  const partOf = ({ messageId }: MessageUsage) => `the tokens of message ${messageId} of ${id}`
  const entries = new Map(joined.usage.map((entry) => [entry.messageId, entry]))
  const kept = history.usage.flatMap((expected): readonly PartFault[] => {
    const actual = entries.get(expected.messageId)
    return actual && !losesTokens(actual, expected)
      ? []
      : [{ code: 'lost', part: partOf(expected), actual, expected }]
  })
  const final = alive.usage.flatMap((expected): readonly PartFault[] => {
    const { finalAt = -1, namedAt = -1 } = live.usage.get(compositeKey(id, expected.messageId)) ?? {}
    const actual = entries.get(expected.messageId) ?? messageOf(expected, joined)
    if (finalAt < cut || actual?.final) return []
    // A result names its entry itself.
    if (namedAt < cut && !expected.fromResult) return []
    if (isNamedOtherwise(expected, { joined, alive })) return []
    return [{ code: 'incomplete', part: partOf(expected), actual, expected }]
  })
  return [...kept, ...final]
}

/** Whether the history has the message of the tokens under another id. */
function isNamedOtherwise(
  { messageId }: MessageUsage,
  { joined, alive }: Pick<JoinedThread, 'joined' | 'alive'>,
): boolean {
  const isOf = (block: ConversationBlock) => messageIdOf(block) === messageId
  const words = alive.blocks.filter(isOf).map(messageKey)
  if (words.length === 0 || joined.blocks.some(isOf)) return false
  const known = new Set(joined.blocks.map(messageKey))
  return words.every((key) => key !== undefined && known.has(key))
}

/** The history may have the message whose tokens the result of an agent's run states. */
function messageOf(entry: MessageUsage, { usage }: ConversationThread): MessageUsage | undefined {
  return entry.fromResult && messageOfResult(entry, usage)
}

function losesTokens(actual: MessageUsage, expected: MessageUsage): boolean {
  if (expected.final && !actual.final) return true
  return Object.entries(expected).some(([name, value]) => {
    if (typeof value !== 'number') return false
    const now: unknown = Reflect.get(actual, name)
    return expected.final ? now !== value : now === undefined
  })
}

const TURN = "main's turn"

/**
 * Main's turn has the last status of the live messages. If an earlier message gave it that status, the history's
 * status may stay. Live messages that only repeat the history leave the times of its turn, and its end if they report
 * none.
 */
function compareTurn(join: Join): readonly PartFault[] {
  const { joined, history, live, cut } = join
  const [actual, expected] = [joined.turn, live.state.turn]
  if (actual.status === expected.status) return lostFacts(join)
  const isKept = actual.status === history.turn.status && hasSameContent(joined, history)
  if (expected.status === 'running' && isKept) return lostFacts(join)
  if (live.turnChangedAt >= cut) return [{ code: 'incomplete', part: TURN, actual, expected }]
  return actual.status === history.turn.status
    ? lostFacts(join)
    : [{ code: 'overwritten', part: TURN, actual, expected: history.turn }]
}

function lostFacts({ joined, history }: Join): readonly PartFault[] {
  const [actual, expected] = [joined.turn, history.turn]
  if (actual.status !== expected.status || !hasSameContent(joined, history)) return []
  const isKept = (['startedAt', 'endedAt', 'error'] as const).every(
    (name) => expected[name] === undefined || actual[name] === expected[name],
  )
  return isKept ? [] : [{ code: 'overwritten', part: TURN, actual, expected }]
}

/** A stream has notes of the program that its files lack. */
function hasSameContent(joined: SessionConversationState, history: SessionConversationState): boolean {
  const idsIn = ({ blocks }: SessionConversationState) =>
    blocks.flatMap(({ id, type }) => (type === 'system' ? [] : [id])).join(' ')
  return idsIn(joined) === idsIn(history)
}
