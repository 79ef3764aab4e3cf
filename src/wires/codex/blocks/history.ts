import { isEqual } from '../../../json/equal.ts'
import type { UserContentPart } from '../../../state/content.ts'
import type { CodexContext } from '../context.ts'
import type { CodexEventOf } from '../events/event.ts'
import type { HeldMessage, KnownThread } from '../memory.ts'
import { completeText } from './text.ts'
import { showPrompt } from './user.ts'

// A rollout has each message twice: as an entry of the model's history, and as a report of the program. Only the reports show which entries
// are the person's or the model's. Items are reports with ids. Earlier reports have none, but the entry of a text may have one.

/** Reads an entry of the history. In a thread with items it repeats one of them. */
export function readEntry(threadId: string, event: CodexEventOf<'message'>, context: CodexContext): void {
  const { reports } = context.factsOf(threadId)
  if (reports === 'items' || event.content.length === 0) return
  const { role, id, content, time } = event
  if (role === 'user') return readUserEntry(threadId, { role, id, content, time }, context)
  const { heldReport } = context.factsOf(threadId)
  if (heldReport && isSame(heldReport, event)) {
    context.updateThread(threadId, { heldReport: undefined })
    return showMessage(threadId, { ...heldReport, id }, context)
  }
  if (reports === 'events') context.updateThread(threadId, { heldEntry: { role, id, content, time } })
  else showMessage(threadId, { role, id, content, time }, context)
}

/** A report of the program shows whether a person wrote it. A file without reports has only the text itself. */
function readUserEntry(threadId: string, message: HeldMessage, context: CodexContext): void {
  const { reports } = context.factsOf(threadId)
  if (reports === 'events' || isContextNote(message.content)) return
  if (reports === 'history') return showMessage(threadId, message, context)
  showHeldEntry(threadId, context)
  context.updateThread(threadId, { heldEntry: message })
}

/** The program writes facts for the model in the place of the person: in tags, or as instructions of a file. */
function isContextNote([first]: readonly UserContentPart[]): boolean {
  return first?.type === 'text' && /^\s*(?:<[a-z_]+[ >]|# AGENTS\.md instructions)/.test(first.text)
}

/** Reads a report of the program. */
export function readReport(threadId: string, event: CodexEventOf<'announced'>, context: CodexContext): void {
  if (context.factsOf(threadId).reports === 'items' || event.content.length === 0) return
  const { role, content, time } = event
  if (role === 'user') return showMessage(threadId, { role, content, time }, context)
  showHeldReport(threadId, context)
  const { heldEntry } = context.factsOf(threadId)
  if (heldEntry && isSame(heldEntry, event)) {
    context.updateThread(threadId, { heldEntry: undefined })
    showMessage(threadId, { role, content, time, id: heldEntry.id }, context)
  } else context.updateThread(threadId, { heldReport: { role, content, time } })
}

function isSame(left: HeldMessage, right: HeldMessage): boolean {
  return left.role === right.role && isEqual(textOf(left.content), textOf(right.content))
}

/** Notices how the thread reports its messages, by the type of a line. */
export function noticeReports(
  { id, reports: known, heldEntry }: KnownThread,
  reports: 'events' | 'items' | 'history',
  context: CodexContext,
): void {
  if (known === reports || known === 'items' || (known === 'events' && reports === 'history')) return
  // A report follows its entry at once. If another entry follows, the file has no reports.
  if (reports === 'history' && !heldEntry) return
  context.updateThread(id, { reports })
  if (reports === 'history') showHeldEntry(id, context)
  else context.updateThread(id, { heldEntry: undefined })
}

/** Shows an entry that no report will follow. */
export function showHeldEntry(threadId: string, context: CodexContext): void {
  const { heldEntry, reports } = context.factsOf(threadId)
  if (!heldEntry || reports === 'events') return
  context.updateThread(threadId, { heldEntry: undefined })
  showMessage(threadId, heldEntry, context)
}

/** Shows a report that no entry has followed. */
export function showHeldReport(threadId: string, context: CodexContext): void {
  const held = context.factsOf(threadId).heldReport
  if (!held) return
  context.updateThread(threadId, { heldReport: undefined })
  showMessage(threadId, held, context)
}

function showMessage(
  threadId: string,
  { role, id, content, time }: HeldMessage,
  context: CodexContext,
): void {
  const blockId = id ?? context.nextUnnamedId(threadId)
  if (role === 'user') return showPrompt(threadId, { id: blockId, content, time }, context)
  completeText(threadId, { id: blockId, kind: 'text', text: textOf(content), startedAt: time }, context)
}

function textOf(content: readonly UserContentPart[]): string {
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('')
}
