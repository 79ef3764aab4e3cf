import type { SessionEvent } from '../events/event.ts'
import type { Source } from '../formats/source.ts'
import { compositeKey } from '../formats/translation/composite-key.ts'
import { isEqual } from '../json/equal.ts'
import { foldSessionEvents } from '../reducer/reduce.ts'
import { type ConversationBlock, messageIdOf } from '../state/block.ts'
import {
  type ConversationThread,
  createInitialConversationState,
  MAIN,
  type MessageUsage,
  type SessionConversationState,
} from '../state/session.ts'
import { isFinal } from '../state/subagent.ts'

/** The whole live stream, folded from its start, with the message that completed each block. */
export interface LiveRun {
  readonly state: SessionConversationState
  /** By `compositeKey` of conversation and block: the index of the last message with the whole block. */
  readonly completedAt: ReadonlyMap<string, number>
  /** By `compositeKey` of conversation and block: the index of the message that removed the block. */
  readonly removedAt: ReadonlyMap<string, number>
  /** By `compositeKey` of conversation and message: the index of the report of the final tokens. */
  readonly finalUsageAt: ReadonlyMap<string, number>
  readonly namedAt: ReadonlyMap<string, readonly number[]>
}

/** Folds the whole live stream. */
export function runLive<Memory>(source: Source<Memory>, live: readonly unknown[]): LiveRun {
  const events: SessionEvent[] = []
  const at: number[] = []
  let memory = source.initial
  for (const [index, message] of live.entries()) {
    const translated = source.translate(memory, message)
    memory = translated.memory
    for (const event of translated.events) {
      events.push(event)
      at.push(index)
    }
  }
  const { state } = foldSessionEvents(createInitialConversationState(), events)
  const ids = new Map(
    state.subagents.flatMap(({ agentId, toolUseId }) =>
      agentId === undefined ? [] : [[agentId, toolUseId]],
    ),
  )
  const completedAt = new Map<string, number>()
  const removedAt = new Map<string, number>()
  const finalUsageAt = new Map<string, number>()
  const namedAt = new Map<string, number[]>()
  for (const [place, event] of events.entries()) {
    const index = at[place] ?? 0
    const conversation = event.conversationId ?? MAIN
    const id = ids.get(conversation) ?? conversation
    if (
      event.type === 'block:upsert' &&
      (event.block.status === 'pending') === (event.block.type === 'tool_use')
    )
      completedAt.set(compositeKey(id, event.block.id), index)
    if (event.type === 'subagent:spawned')
      completedAt.set(compositeKey(id, `subagent:${event.toolUseId}`), index)
    if (event.type === 'block:removed') removedAt.set(compositeKey(id, event.blockId), index)
    const messageId =
      event.type === 'block:upsert'
        ? messageIdOf(event.block as ConversationBlock)
        : event.type === 'usage:reported'
          ? event.messageId
          : undefined
    const status = event.type === 'block:upsert' ? event.block.status : 'complete'
    if (messageId !== undefined && status !== 'pending') {
      const key = compositeKey(id, messageId)
      namedAt.set(key, [...(namedAt.get(key) ?? []), index])
    }
    if (event.type === 'usage:reported' && event.final)
      finalUsageAt.set(compositeKey(id, event.messageId), index)
  }
  return { state, completedAt, removedAt, finalUsageAt, namedAt }
}

export type JoinFault = 'lost' | 'changed' | 'extra' | 'doubled' | 'missing' | 'order' | 'usage' | 'agent'

export interface JoinProblem {
  readonly fault: JoinFault
  readonly conversationId: string
  readonly id: string
  readonly actual?: unknown
  readonly expected?: unknown
}

/** Compares a joined state with the history's state and the whole live run. */
export function joinProblems({
  joined,
  history,
  ended = history,
  live,
  cut,
}: {
  readonly joined: SessionConversationState
  readonly history: SessionConversationState
  /** The history's state after the end of its input. */
  readonly ended?: SessionConversationState
  readonly live: LiveRun
  readonly cut: number
}): readonly JoinProblem[] {
  const problems: JoinProblem[] = []
  const add = (fault: JoinFault, conversationId: string, id: string, actual?: unknown, expected?: unknown) =>
    problems.push({ fault, conversationId, id, actual, expected })
  const endedUsage = new Set(
    [...threads(ended).values()].flatMap(({ usage }) => usage.map(({ messageId }) => messageId)),
  )
  const ids = new Set([
    ...threads(joined).keys(),
    ...threads(history).keys(),
    ...threads(live.state).keys(),
    ...threads(ended).keys(),
  ])
  const empty: ConversationThread = { blocks: [], usage: [] }
  for (const id of ids) {
    const j = threads(joined).get(id)
    const h = threads(history).get(id)
    const l = threads(live.state).get(id)
    const e = threads(ended).get(id)
    if (j && !h && !l && !e) {
      if (j.blocks.length > 0 || id !== MAIN) add('extra', id, '(conversation)')
      continue
    }
    compareThread(
      id,
      { j: j ?? empty, h: h ?? empty, l: l ?? empty, e: e ?? empty },
      live,
      cut,
      endedUsage,
      add,
    )
  }
  const agents = new Map(joined.subagents.map((each) => [each.toolUseId, each]))
  const liveAgents = new Map(live.state.subagents.map((each) => [each.toolUseId, each]))
  for (const h of history.subagents) {
    const j = agents.get(h.toolUseId)
    if (!j) {
      add('agent', h.toolUseId, '(gone)')
      continue
    }
    for (const name of [
      'agentId',
      'name',
      'description',
      'prompt',
      'parentConversationId',
      'output',
      'durationMs',
    ] as const)
      if (
        h[name] !== undefined &&
        j[name] !== h[name] &&
        !(liveAgents.get(h.toolUseId)?.[name] === j[name] && (name === 'output' || name === 'durationMs'))
      )
        add('agent', h.toolUseId, name, j[name], h[name])
    if (isFinal(h.status) && j.status !== h.status && liveAgents.get(h.toolUseId)?.status !== j.status)
      add('agent', h.toolUseId, 'status', j.status, h.status)
  }
  for (const l of live.state.subagents) {
    const j = agents.get(l.toolUseId)
    if (j && isFinal(l.status) && !isFinal(j.status)) add('agent', l.toolUseId, 'status', j.status, l.status)
  }
  return problems
}

const threadCache = new WeakMap<SessionConversationState, ReadonlyMap<string, ConversationThread>>()
function threads(state: SessionConversationState): ReadonlyMap<string, ConversationThread> {
  const known = threadCache.get(state)
  if (known) return known
  const map = new Map<string, ConversationThread>([
    [MAIN, state],
    ...state.subagents.map((each) => [each.toolUseId, each] as const),
  ])
  threadCache.set(state, map)
  return map
}

function compareThread(
  id: string,
  {
    j,
    h,
    l,
    e,
  }: {
    readonly j: ConversationThread
    readonly h: ConversationThread
    readonly l: ConversationThread
    readonly e: ConversationThread
  },
  live: LiveRun,
  cut: number,
  endedUsage: ReadonlySet<string>,
  add: (fault: JoinFault, conversationId: string, id: string, actual?: unknown, expected?: unknown) => void,
): void {
  const jb = new Map(j.blocks.map((block) => [block.id, block]))
  const hb = new Map(h.blocks.map((block) => [block.id, block]))
  const lb = new Map(l.blocks.map((block) => [block.id, block]))
  for (const block of h.blocks) {
    const now = jb.get(block.id)
    if (!now) {
      if ((live.removedAt.get(compositeKey(id, block.id)) ?? -1) < cut)
        add('lost', id, block.id, undefined, block)
    } else if (isWorse(now, block, lb.get(block.id))) add('changed', id, block.id, now, block)
  }
  for (const block of j.blocks) {
    if (!hb.has(block.id) && !lb.has(block.id) && !e.blocks.some((each) => each.id === block.id))
      add('extra', id, block.id, block)
  }
  for (const block of l.blocks) {
    if (hb.has(block.id)) continue
    if ((live.completedAt.get(compositeKey(id, block.id)) ?? -1) < cut) continue
    const now = jb.get(block.id)
    if (!now) add('missing', id, block.id, undefined, block)
    else if (!isEqual(contentOf(now), contentOf(block))) add('changed', id, block.id, now, block)
  }
  const countOf = (thread: ConversationThread) => {
    const counts = new Map<string, number>()
    for (const block of thread.blocks) {
      if (block.type !== 'assistant_text' && block.type !== 'thinking') continue
      const key = compositeKey(messageIdOf(block) ?? '', block.type, block.content)
      counts.set(key, (counts.get(key) ?? 0) + 1)
    }
    return counts
  }
  const hc = countOf(h)
  const lc = countOf(l)
  for (const [key, count] of countOf(j))
    if (count > Math.max(hc.get(key) ?? 0, lc.get(key) ?? 0) && (hc.has(key) || lc.has(key)))
      add('doubled', id, key)
  // Order.
  const hp = new Map(h.blocks.map((block, at) => [block.id, at]))
  const lp = new Map(l.blocks.filter((b) => b.type !== 'tool_result').map((block, at) => [block.id, at]))
  let lastH = -1
  for (const block of j.blocks) {
    const at = hp.get(block.id)
    if (at === undefined) continue
    if (at < lastH) {
      add('order', id, block.id)
      break
    }
    lastH = at
  }
  let before: string | undefined
  for (const block of j.blocks) {
    const at = hb.has(block.id) ? undefined : lp.get(block.id)
    if (at === undefined) continue
    if (before !== undefined && at < (lp.get(before) ?? 0)) {
      add('order', id, `${before} ${block.id}`)
      break
    }
    before = block.id
  }
  // Usage.
  const ju = new Map(j.usage.map((entry) => [entry.messageId, entry]))
  const lu = new Map(l.usage.map((entry) => [entry.messageId, entry]))
  for (const entry of h.usage) {
    const now = ju.get(entry.messageId)
    if (!now || losesTokens(now, entry)) add('usage', id, entry.messageId, now, entry)
  }
  for (const entry of l.usage) {
    const finalAt = live.finalUsageAt.get(compositeKey(id, entry.messageId)) ?? -1
    const namedAt = (live.namedAt.get(compositeKey(id, entry.messageId)) ?? []).some(
      (at) => at >= cut && at < finalAt,
    )
    if (finalAt < cut || !namedAt) continue
    const now = ju.get(entry.messageId)
    if (!now?.final) add('usage', id, entry.messageId, now, entry)
  }
  for (const entry of j.usage)
    if (
      !lu.has(entry.messageId) &&
      !h.usage.some((each) => each.messageId === entry.messageId) &&
      !endedUsage.has(entry.messageId)
    )
      add('usage', id, entry.messageId, entry)
}

const TOKENS = ['inputTokens', 'outputTokens', 'cacheReadTokens', 'cacheWriteTokens'] as const
function losesTokens(now: MessageUsage, before: MessageUsage): boolean {
  if (before.final)
    return !now.final || TOKENS.some((name) => before[name] !== undefined && now[name] !== before[name])
  return TOKENS.some((name) => before[name] !== undefined && now[name] === undefined)
}

function contentOf(block: ConversationBlock): unknown {
  const { timestamp, status, ...rest } = block
  const { model, durationMs, messageId, data, code, ...content } = rest as Record<string, unknown>
  if (block.type === 'subagent') {
    const { output, ...others } = content
    return others
  }
  return content
}

/** Whether a block has lost a field of the history, or has another value there. */
function isWorse(
  now: ConversationBlock,
  before: ConversationBlock,
  live: ConversationBlock | undefined,
): boolean {
  if (now.type !== before.type) return true
  const isOpen = before.status === 'pending' || before.status === 'running'
  return Object.entries(before).some(([name, value]) => {
    if (isEqual(Reflect.get(now, name), value)) return false
    if (name === 'status') return !isOpen && !(before.type === 'subagent' || before.type === 'tool_use')
    if (before.type === 'subagent' && (name === 'output' || name === 'durationMs') && live)
      return !isEqual(Reflect.get(now, name), Reflect.get(live, name))
    if (isOpen && name === 'input') return !(value === '' || Object.keys(value as object).length === 0)
    if (isOpen && (name === 'message' || name === 'data'))
      return !(live && isEqual(Reflect.get(now, name), Reflect.get(live, name)))
    if (isOpen && name === 'content')
      return !(live && isEqual(Reflect.get(now, name), Reflect.get(live, name)))
    return true
  })
}
