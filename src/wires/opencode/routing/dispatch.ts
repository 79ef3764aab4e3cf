import { asObject, assertNever, type JsonObject } from '../../../core/json/values.ts'
import { programOfEvent } from '../../../programs/all.ts'
import type { SessionOutput } from '../../../reading/context.ts'
import { bufferedItems } from '../../../reading/notes/persistent-map.ts'
import type { OpencodeContext } from '../context.ts'
import { type BusEvent, provesWork } from '../event.ts'
import { mainSession, NO_SESSION, sessionIdOf } from '../place.ts'
import {
  chooseMainSession,
  chooseMainTree,
  isTreeKnown,
  locateSession,
  registerSession,
} from './session-location.ts'
import { type Translator, translatorOf } from './translators.ts'

/** Translates an event, then all buffered events of sessions whose conversation it reveals. */
export function translateEvent(event: BusEvent, context: OpencodeContext): void {
  dispatchEvent(event, context)
  if (context.hasRevealed) releaseLocated(context)
}

/**
 * Translates the events that are still buffered at the end of the input. If no main session is known, the first
 * buffered session names it, and each other session becomes a subagent without call. Beside a main that was
 * known before, only files make one: an event may be of a session of another client.
 */
export function translateRemaining(context: OpencodeContext): void {
  const isMainKnown = mainSession(context) !== undefined
  chooseMainOfBuffered(context)
  context.revealAll()
  releaseLocated(context)
  locateBufferedAsAgents(context, isMainKnown)
  releaseLocated(context)
}

/**
 * Translates the buffered events of the sessions whose place is known now. An event may reveal further sessions,
 * thousands in a row. Their events come before those of the sessions that were found earlier.
 */
function releaseLocated(context: OpencodeContext): void {
  const steps: (BusEvent | { readonly sessionId: string })[] = []
  const push = () => {
    for (const sessionId of locatedSessionIds(context).toReversed()) steps.push({ sessionId })
  }
  push()
  for (let step = steps.pop(); step; step = steps.pop())
    if ('sessionId' in step)
      for (const event of releaseEvents(step.sessionId, context.notes).toReversed()) steps.push(event)
    else {
      dispatchEvent(step, context)
      if (context.hasRevealed) push()
    }
}

/** Sends an event on its route. */
function dispatchEvent(event: BusEvent, context: OpencodeContext): void {
  if (revealsOrigin(event)) registerSession(sessionIdOf(event), sessionInfo(event), context)
  if (isBeginning(event)) chooseMainTree(sessionIdOf(event), context)
  const translator = translatorOf(event.type)
  if (translator) translateInPlace(event, translator, context)
  else ignoreEvent(event, context)
}

/** An event that adds nothing may still name the program, because only that one sends it. */
function ignoreEvent({ type }: BusEvent, output: SessionOutput): void {
  const program = programOfEvent('opencode', type)
  if (program !== undefined) output.updateFacts({ program })
  else if (!IGNORED_TYPES.has(type)) output.reportUnknown('unknown-message', type)
}

/** Translates an event in the conversation of its session, or keeps it until that conversation is known. */
function translateInPlace(event: BusEvent, translator: Translator, context: OpencodeContext): void {
  const sessionId = sessionIdOf(event)
  const location = locateSession(sessionId, context)
  switch (location.type) {
    case 'conversation':
      return translator(
        { sessionId, conversationId: location.conversationId, eventId: event.id },
        event,
        context,
      )
    case 'other-session':
      return context.reportUnknown('other-session', event.type)
    case 'unknown':
      bufferEvent(sessionId, event, context.notes)
      // Such an event may name the main session.
      if (revealsOrigin(event) || provesWork(event)) chooseWorkingMain(sessionId, context)
      return
    default:
      return assertNever(location)
  }
}

/** Whether the event reports which session started its session, or that none did. */
function revealsOrigin({ type, isRoot }: BusEvent): boolean {
  return isRoot === true || type === 'session.created' || type === 'session.updated'
}

/** Returns a session's `info`. The `info` of a message has a parent too: the message that it answers. */
function sessionInfo({ type, properties }: BusEvent): JsonObject {
  return type.startsWith('session.') ? asObject(properties.info) : {}
}

/** Whether the input sees the session begin. Such a session is main although it does not work yet. */
function isBeginning({ type, isRoot }: BusEvent): boolean {
  return isRoot === true || type === 'session.created'
}

/** The event types of the server and of other tools. They add nothing to the conversation that other events do not report. */
const IGNORED_TYPES: ReadonlySet<string> = new Set([
  'catalog.model.updated',
  'catalog.updated',
  'command.executed',
  'file.edited',
  'file.watcher.updated',
  'global.disposed',
  'installation.update-available',
  'installation.updated',
  'integration.updated',
  'lsp.client.diagnostics',
  'lsp.updated',
  'mcp.browser.open.failed',
  'mcp.tools.changed',
  'models-dev.refreshed',
  'plugin.added',
  'project.directories.updated',
  'project.updated',
  'pty.created',
  'pty.deleted',
  'pty.exited',
  'pty.updated',
  'reference.updated',
  'server.connected',
  'server.heartbeat',
  'server.instance.disposed',
  'session.compacted',
  'session.deleted',
  'session.diff',
  // A copy of an event, in the form in which the server stores it.
  'sync',
  'tui.command.execute',
  'tui.prompt.append',
  'tui.session.select',
  'tui.toast.show',
  'vcs.branch.updated',
  'workspace.failed',
  'workspace.ready',
  'workspace.status',
  'worktree.failed',
  'worktree.ready',
])

/** Keeps an event until its session's conversation is known. A late reader has missed the session's first events. */
function bufferEvent(sessionId: string, event: BusEvent, notes: OpencodeContext['notes']): void {
  notes.buffer('buffered', sessionId, event)
  if (provesWork(event) && !notes.values.workingSessions.get(sessionId))
    notes.setEntry('workingSessions', sessionId, true)
}

/** Returns the ids of the buffered sessions whose place became known since the last call, the one with the earliest event first. */
function locatedSessionIds(context: OpencodeContext): readonly string[] {
  const revealed = context.takeRevealed()
  const { buffered } = context.notes.values
  if (buffered.isEmpty) return []
  const isLocated = (sessionId: string) => locateSession(sessionId, context).type !== 'unknown'
  if (!revealed) return idsOf(buffered).filter(isLocated)
  const found = withDescendants(revealed.filter(isLocated), context.notes)
    // A session may have got another parent, whose place is not known.
    .filter((id) => buffered.get(id) !== undefined && isLocated(id))
  if (found.length < 2) return found
  const wanted = new Set(found)
  return idsOf(buffered).filter((id) => wanted.has(id))
}

function idsOf(map: OpencodeContext['notes']['values']['buffered' | 'workingSessions']): readonly string[] {
  return map.isEmpty ? [] : map.entries().map(([id]) => id)
}

/** Returns the sessions and all sessions below them. Those are needed once, because a known place stays known. */
function withDescendants(sessionIds: readonly string[], notes: OpencodeContext['notes']): readonly string[] {
  const found = new Set(sessionIds)
  for (const id of found) for (const child of notes.takeBuffered('children', id)) found.add(child)
  return [...found]
}

/** Takes the events of a session out of the buffer, and returns them. */
function releaseEvents(sessionId: string, notes: OpencodeContext['notes']): readonly BusEvent[] {
  notes.removeEntry('workingSessions', sessionId)
  return notes.takeBuffered('buffered', sessionId)
}

/**
 * Chooses the tree of the first session that works, after a buffered event of a session. Only a session whose own top
 * session is known can change that, so others cost no search.
 */
function chooseWorkingMain(sessionId: string, context: OpencodeContext): void {
  if (mainSession(context) !== undefined || !isTreeKnown(sessionId, context)) return
  idsOf(context.notes.values.workingSessions).some((id) => chooseMainTree(id, context))
}

/** Chooses the main session at the end of the input: the tree of the first session that works, or else the first session. */
function chooseMainOfBuffered(context: OpencodeContext): void {
  const ids = [...idsOf(context.notes.values.workingSessions), ...idsOf(context.notes.values.buffered)]
  const first = ids.find((id) => id !== NO_SESSION) ?? ids[0]
  if (first !== undefined) chooseMainSession(first, context)
}

/** Makes each buffered session, or each one of a file, a subagent without call. Its conversation id is its session id. */
function locateBufferedAsAgents(context: OpencodeContext, isOfFile: boolean): void {
  const { buffered } = context.notes.values
  for (const sessionId of idsOf(buffered)) {
    if (isOfFile && !bufferedItems(buffered.get(sessionId)).some(({ isStored }) => isStored)) {
      for (const { type } of releaseEvents(sessionId, context.notes))
        context.reportUnknown('other-session', type)
      continue
    }
    context.notes.setEntry('unlinkedAgents', sessionId, true)
    context.reveal(sessionId)
  }
}
