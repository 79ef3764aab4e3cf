import { omitUndefined, withChanges } from '../../core/json/fields.ts'
import { MAIN } from '../../core/state/session.ts'
import { rewind, takeBack } from './blocks/rewind.ts'
import { readModel } from './blocks/usage.ts'
import { type CodexContext, type CodexMemory, UNNAMED } from './context.ts'
import type { CodexEvent, CodexEventOf } from './events/event.ts'

/** Returns the thread of an event. The first root thread is main. */
export function threadOf(event: CodexEvent, context: CodexContext): string {
  const mainId = context.state.facts.id
  const id = event.threadId ?? context.notes.values.currentThread ?? mainId ?? UNNAMED
  if (mainId === undefined) {
    if (!isChildTurn(event) && !context.isKnownThread(id)) context.addMissingFacts({ id })
  } else if (isOfOtherSession(event, context.notes.values) && !context.isKnownThread(id))
    context.notes.setEntry('otherSessions', id, '')
  return id
}

/** A turn of a child thread works for a turn of another thread. */
export function isChildTurn(event: CodexEvent): boolean {
  return event.type === 'turn-started' && event.rootTurnId !== undefined && event.rootTurnId !== event.turnId
}

/** Whether the turn of a new thread works for a turn of another session. */
function isOfOtherSession(event: CodexEvent, notes: CodexContext['notes']['values']): boolean {
  if (event.type !== 'turn-started' || event.rootTurnId === undefined) return false
  return notes.otherSessions.values().includes(event.rootTurnId)
}

/** Returns the threads of agents that work, and that the state does not show yet. */
export function silentThreads(memory: CodexMemory): readonly string[] {
  const ids = memory.notes.values.turns.entries().map(([id]) => id)
  return ids.filter((id) => id !== MAIN && !memory.state.findAgent(id))
}

/** Reads a thread: main itself, main's continuation as a fork, an agent's, or one of another session. */
export function readThread(event: CodexEventOf<'thread'>, context: CodexContext): void {
  const { id, form, threadId, parentId, forkedFromId, keptUntil, time, facts } = event
  // The file of an agent may begin with a copy of its parent's history, whose first line names the parent.
  if (threadId !== undefined && id !== threadId && !context.isMain(threadId))
    return context.notes.setEntry('copies', threadId, time ?? '')
  if (event.isTemporary && context.state.facts.id !== undefined && !context.isKnownThread(id))
    return context.notes.setEntry('temporaryThreads', id, true)
  if (context.notes.values.temporaryThreads.get(id)) return
  // A client may read the thread that main was before, or that it has left.
  const { earlierMainIds, otherSessions } = context.notes.values
  if (form === 'app-server' && (earlierMainIds.get(id) || otherSessions.get(id) !== undefined)) return
  if (form === 'exec') context.beginProcess()
  const isOfRollout = form === 'rollout' && threadId === undefined
  if (isMainThread(event, context)) {
    if (form === 'exec' || isOfRollout) context.notes.remember({ currentThread: undefined })
    // The file of a revert goes on from an earlier file of the same thread.
    if (forkedFromId === id && keptUntil !== undefined)
      rewind({ ordinal: keptUntil, countsAgain: true }, time, context)
    continueMain(id, context)
    return context.updateFacts(facts)
  }
  // A fork of an earlier version begins with a copy of its base, whose first line names the base.
  if (isOfRollout && parentId === undefined) return
  if (form === 'exec' || isOfRollout) context.notes.remember({ currentThread: id })
  if (form === 'app-server' && parentId === undefined && !context.isKnownThread(id))
    return context.notes.setEntry('otherSessions', id, '')
  if (event.agentKind !== undefined) startWithoutCall(event, context)
  else noteOrigin(event, context)
  readModel(id, facts.model, context)
}

/** Whether the event is a copy from the parent's history. The first turn of the agent's own ends the copies. */
export function isCopy(threadId: string, event: CodexEvent, notes: CodexContext['notes']): boolean {
  const copied = notes.values.copies.get(threadId)
  if (copied === undefined) return false
  if (event.type !== 'turn-started' || event.time === copied || isKnownTurn(event.turnId, notes.values))
    return true
  notes.removeEntry('copies', threadId)
  return false
}

/** Whether a turn of any thread has that id. */
function isKnownTurn(turnId: string | undefined, notes: CodexContext['notes']['values']): boolean {
  if (turnId === undefined) return false
  const { endedTurns, turns, rounds = [] } = notes
  if (endedTurns.get(turnId) || turns.values().includes(turnId)) return true
  return rounds.some((round) => round.turnId === turnId)
}

/** A thread that goes on from main is main under another id: its new messages belong to the same conversation. */
function isMainThread({ id, forkedFromId, threadId }: CodexEventOf<'thread'>, memory: CodexMemory): boolean {
  if (threadId !== undefined) return memory.isMain(threadId)
  if (memory.state.facts.id === undefined || memory.isMain(id)) return true
  return forkedFromId !== undefined && memory.isMain(forkedFromId)
}

/** Goes on with main under the id. A fork counts its tokens on, and no message has named its turn. */
function continueMain(id: string, memory: CodexMemory): void {
  const { id: before = UNNAMED } = memory.state.facts
  if (before === id) return
  const { totals, turns } = memory.notes.values
  const total = totals.get(before)
  if (total !== undefined) memory.notes.setEntry('totals', id, total)
  if (before === UNNAMED) return
  memory.notes.setEntry('earlierMainIds', before, true)
  memory.notes.removeEntry('earlierMainIds', id)
  if (turns.get(MAIN)) memory.notes.setEntry('turns', MAIN, '')
}

/**
 * Goes back from a fork if a new turn belongs to the thread that main was before. The fork's turns become a branch,
 * and it is another session then.
 */
export function leaveFork(threadId: string, time: string | undefined, context: CodexContext): void {
  const { earlierMainIds, rounds = [] } = context.notes.values
  const { id: forkId } = context.state.facts
  if (forkId === undefined || !earlierMainIds.get(threadId)) return
  const isOfFork = rounds.some((round) => round.forkId === threadId) ? threadId : undefined
  const kept = rounds.findLastIndex((round) => round.forkId === isOfFork)
  const left = new Set([forkId, ...rounds.slice(kept + 1).flatMap((round) => round.forkId ?? [])])
  takeBack(kept + 1, { time, message: 'The person went back from a fork' }, context)
  context.updateFacts({ id: threadId })
  for (const id of left) context.notes.setEntry('otherSessions', id, '')
  for (const id of [...left, threadId]) context.notes.removeEntry('earlierMainIds', id)
}

/** Shows an agent that the program has started without a call. */
function startWithoutCall(
  { id, parentId, agentKind: subagentType, time }: CodexEventOf<'thread'>,
  context: CodexContext,
): void {
  const conversationId = context.conversationOf(parentId ?? UNNAMED)
  const agent = { toolUseId: id, agentId: id, prompt: '', subagentType, timestamp: time }
  context.emit({ type: 'subagent:spawned', conversationId, ...agent })
}

function noteOrigin(
  { id, parentId, agentPath, nickname, role }: CodexEventOf<'thread'>,
  context: CodexContext,
): void {
  if (parentId === undefined && agentPath === undefined && nickname === undefined) return
  const agent = context.state.findAgent(id)
  if (agent?.parentConversationId !== undefined) {
    const { toolUseId, parentConversationId: conversationId, prompt = '' } = agent
    const names = namesOf({ nickname, role, task: undefined })
    if (names.subagentType !== undefined && agent.name === undefined)
      context.emit({ type: 'subagent:spawned', conversationId, toolUseId, prompt, ...names })
    return
  }
  const known = context.notes.values.origins.get(id) ?? {}
  context.notes.setEntry(
    'origins',
    id,
    withChanges(known, omitUndefined({ parentId, agentPath, nickname, role })),
  )
}

interface AgentNames {
  readonly subagentType: string | undefined
  readonly agentType?: string
  readonly description: string | undefined
}

/** The program shows an agent by its nickname. Its role is then its type, and says what it does. */
export function namesOf({
  nickname,
  role,
  task,
}: Readonly<Record<'nickname' | 'role' | 'task', string | undefined>>): AgentNames {
  if (nickname === undefined) return { subagentType: role, description: task }
  return { subagentType: nickname, agentType: role ?? '', description: task ?? role }
}
