import { omitUndefined } from '../../../json/omit-undefined.ts'
import type { CodexContext } from '../context.ts'
import type { CodexEvent, CodexEventOf } from '../events/event.ts'

/** The id of main's thread while no message has named it. */
const UNNAMED = ''

/** Returns the thread of an event. The first root thread is main. */
export function threadOf(event: CodexEvent, context: CodexContext): string {
  const { mainId, currentId } = context.memory
  const id = event.threadId ?? currentId ?? mainId ?? UNNAMED
  if (context.thread(id)) return id
  if (mainId === undefined && !isChildTurn(event)) becomeMain(id, context)
  else context.updateThread(id, isOfOtherSession(event, context) ? { isOther: true } : {})
  return id
}

/** Whether the turn of a new thread works for a turn of another session. */
function isOfOtherSession(event: CodexEvent, { memory }: CodexContext): boolean {
  if (event.type !== 'turn-started' || event.rootTurnId === undefined) return false
  return memory.threads.values().some(({ isOther, turnId }) => isOther && turnId === event.rootTurnId)
}

/** A turn of a child thread works for a turn of another thread. */
function isChildTurn(event: CodexEvent): boolean {
  return event.type === 'turn-started' && event.rootTurnId !== undefined && event.rootTurnId !== event.turnId
}

function becomeMain(id: string, context: CodexContext): void {
  context.updateThread(id, { isMain: true })
  if (id === UNNAMED) return
  context.remember({ mainId: id })
  context.addMissingFacts({ id })
}

/** Reads a thread: main itself, main's continuation as a fork, an agent's, or one of another session. */
export function readThread(event: CodexEventOf<'thread'>, context: CodexContext): void {
  const { id, form, parentId, facts, agentPath } = event
  const { model, ...others } = facts
  if (form === 'exec') {
    const processes = context.memory.processes + 1
    context.remember({ processes, currentId: id, isBetweenProcesses: undefined })
  }
  const { mainId } = context.memory
  if (isMain(event, context)) {
    context.remember({ mainId: id })
    if (form === 'rollout' && event.threadId === undefined) context.remember({ currentId: id })
    context.updateThread(id, omitUndefined({ ...mainFacts(id, mainId, context), model }))
    return context.updateFacts({ ...others, ...(model !== undefined && { model }) })
  }
  if (form === 'rollout' && event.threadId === undefined && mainId !== undefined) {
    // A fork of an earlier version begins with a copy of its base, whose first line names the base.
    if (parentId === undefined) return
    context.remember({ currentId: id })
  }
  const isOther = form === 'app-server' && parentId === undefined && !context.thread(id) ? true : undefined
  context.updateThread(id, omitUndefined({ parentId, agentPath, model, isOther }))
}

/** A thread that goes on from main is main under another id: its new messages belong to the same conversation. */
function isMain({ id, forkedFromId, threadId }: CodexEventOf<'thread'>, context: CodexContext): boolean {
  const { mainId, threads } = context.memory
  if (threadId !== undefined) return threads.get(threadId)?.isMain === true
  if (mainId === undefined || mainId === id || threads.get(id)?.isMain === true) return true
  return forkedFromId !== undefined && threads.get(forkedFromId)?.isMain === true
}

/** A fork keeps the facts of the thread that it goes on from. */
function mainFacts(id: string, mainId: string | undefined, context: CodexContext): object {
  const before = context.thread(mainId ?? UNNAMED)
  if (!before || before.id === id) return { isMain: true }
  const { order, id: _, turnId, ...facts } = before
  return { ...facts, isMain: true }
}
