import { isEqual } from '../../../core/json/equal.ts'
import { omitUndefined, withChanges } from '../../../core/json/fields.ts'
import { asObject } from '../../../core/json/values.ts'
import {
  type BlockOf,
  type ConversationBlock,
  isModelText,
  toolResultBlockId,
} from '../../../core/state/block.ts'
import { type UserContentPart, userContent } from '../../../core/state/content.ts'
import { type PersonCommand, readPersonCommand } from '../../../programs/codex/command.ts'
import { COMMAND } from '../../../programs/codex/tool-names.ts'
import { statusOf } from '../../kit/blocks.ts'
import type { CodexContext, CodexMemory } from '../context.ts'
import type { CodexEventOf } from '../events/event.ts'
import type { BufferedMessage, Report, Reports } from '../notes.ts'
import { showBufferedCompaction } from './compaction.ts'
import { completeText, showPrompt } from './message.ts'
import { blockOfItem, showEnd } from './tool.ts'

// A rollout has each message twice: as an entry of the model's history, and as a report of the program. Only the
// reports show which entries are the person's or the model's. Items are reports with ids. Earlier reports have none,
// but the entry of a text may have one. A report is beside its entry. So an entry beside a broken line that no
// report repeats is shown itself.

/** Reads an entry of the history. */
export function readEntry(threadId: string, event: CodexEventOf<'message'>, context: CodexContext): void {
  if (event.content.length === 0) return
  const key = context.threadKey(threadId)
  const reports = context.notes.values.reports.get(key)
  const { role, id, content, time } = event
  const isBesideBroken = context.notes.values.brokenLines.get(key)
  const message = omitUndefined({ role, id, content, time, isBesideBroken })
  if (reports === 'items') return readRepeatedEntry(threadId, message, context)
  if (role === 'user') return readUserEntry(threadId, message, context)
  const report = context.notes.values.bufferedReports.get(key)
  if (report && isSame(report, message)) {
    context.notes.removeEntry('bufferedReports', key)
    showMessage(threadId, withChanges(report, omitUndefined({ id })), context)
  } else if (reports === undefined && isInState(threadId, message, context)) return
  else if (reports === 'events' || isUnreported(threadId, context)) {
    showBufferedEntry(threadId, context)
    context.notes.setEntry('bufferedEntries', key, message)
  } else showMessage(threadId, message, context)
}

/** In a thread with items, an entry repeats one of them. It waits for the next line, which may be broken. */
function readRepeatedEntry(threadId: string, message: BufferedMessage, memory: CodexMemory): void {
  const { role, id, content } = message
  const isOfReviewer = memory.notes.values.isInReview && memory.isMain(threadId)
  if (isOfReviewer || (id !== undefined && memory.isKnownItem(threadId, id))) return
  if (role === 'user' && (isContextNote(content) || readPersonCommand(textOf(content)))) return
  memory.notes.setEntry('bufferedEntries', memory.threadKey(threadId), message)
}

/** Remembers that a line is broken. It may have been the report of the entry before it, or of the one after it. */
export function noteBrokenLine(threadId: string, memory: CodexMemory): void {
  const key = memory.threadKey(threadId)
  const entry = memory.notes.values.bufferedEntries.get(key)
  if (entry) memory.notes.setEntry('bufferedEntries', key, withChanges(entry, { isBesideBroken: true }))
  memory.notes.setEntry('brokenLines', key, true)
}

/** Ends the wait of an entry that has no report: it is shown if a broken line beside it may have been its report. */
export function settleEntry(threadId: string, report: Report | undefined, context: CodexContext): void {
  const key = context.threadKey(threadId)
  const entry = context.notes.values.bufferedEntries.get(key)
  const reports = context.notes.values.reports.get(key)
  if (!entry || (reports !== 'events' && reports !== 'items' && !entry.isBesideBroken)) return
  const isReported = report !== undefined && isSame(entry, report)
  // The report of a text takes the id of its entry.
  if (reports === 'events' && entry.role === 'assistant' && (isReported || !entry.isBesideBroken)) return
  context.notes.removeEntry('bufferedEntries', key)
  if (entry.isBesideBroken && !isReported) showMessage(threadId, entry, context)
}

/** Whether the source went on from a state that has the entry: under its id, or as the item that it repeats. */
function isInState(threadId: string, { id, content }: BufferedMessage, memory: CodexMemory): boolean {
  if (id !== undefined && memory.isKnownItem(threadId, id)) return true
  if (!memory.notes.values.isOpened) return false
  const last = memory.state.blocksOf(memory.conversationOf(threadId)).findLast(isModelText)
  return last?.content === textOf(content)
}

/** Whether the thread has turns, and no message yet: their reports may follow. */
function isUnreported(threadId: string, memory: CodexMemory): boolean {
  const key = memory.threadKey(threadId)
  const { reports, turns, isOpened } = memory.notes.values
  return reports.get(key) === undefined && (turns.get(key) !== undefined || isOpened === true)
}

/** A report of the program shows whether a person wrote it. A file without reports has only the text itself. */
function readUserEntry(threadId: string, message: BufferedMessage, context: CodexContext): void {
  const key = context.threadKey(threadId)
  const reports = context.notes.values.reports.get(key)
  const command = readPersonCommand(textOf(message.content))
  if (command) return showPersonCommand(threadId, command, message, context)
  if (isContextNote(message.content)) return
  if (reports === 'history') return showMessage(threadId, message, context)
  // Before the first report, facts of the program may precede the prompt of a turn.
  if (reports !== 'events' && !isUnreported(threadId, context)) showBufferedEntry(threadId, context)
  context.notes.setEntry('bufferedEntries', key, message)
}

/** Shows a command that a person has run with `!`. Only later versions have an item for it, which comes first. */
function showPersonCommand(
  threadId: string,
  { command, ...result }: PersonCommand,
  { id, time }: BufferedMessage,
  context: CodexContext,
): void {
  const isSame = (block: ConversationBlock) =>
    block.type === 'tool_use' && asObject(block.input).command === command
  if (id !== undefined && context.isKnownItem(threadId, id)) return
  // The entry may come again after another command.
  if (isLastItem(threadId, command, context))
    return id === undefined
      ? undefined
      : context.notes.setEntry('removedItems', context.itemKey(threadId, id), true)
  if (context.hasBlockAt(threadId, time, isSame)) return
  const toolUseId = id ?? context.nextUnnamedId(threadId)
  const input = { command }
  const item = { id: toolUseId, toolName: COMMAND, input, startedAt: time, requestedBy: 'person' } as const
  const call = blockOfItem(item, statusOf(result.isError))
  showEnd(threadId, { call, result: { ...result, toolUseId, timestamp: time } }, context)
}

/** Whether the last call is an item with that command. Only an item has the time that a command took. */
function isLastItem(threadId: string, command: string, memory: CodexMemory): boolean {
  const last = memory.state
    .blocksOf(memory.conversationOf(threadId))
    .findLast(({ type }) => type === 'tool_use')
  if (last?.type !== 'tool_use' || last.toolName !== COMMAND) return false
  const result = memory.blockOf(threadId, toolResultBlockId(last.id))
  const isItem = result?.type === 'tool_result' && result.durationMs !== undefined
  return isItem && asObject(last.input).command === command
}

/** The program writes facts for the model in the place of the person: in tags, or as instructions of a file. */
function isContextNote([first]: readonly UserContentPart[]): boolean {
  return first?.type === 'text' && /^\s*(?:<[a-z_]+[ >]|# AGENTS\.md instructions)/.test(first.text)
}

/** Reads a report of the program. */
export function readReport(threadId: string, event: CodexEventOf<'announced'>, context: CodexContext): void {
  const key = context.threadKey(threadId)
  if (event.content.length === 0) return
  const { role, content, time } = event
  const message = omitUndefined({ role, content, time })
  if (role === 'user') return showMessage(threadId, message, context)
  if (time !== undefined && isEqual(context.notes.values.bufferedReports.get(key), message)) return
  showBufferedReport(threadId, context)
  const entry = context.notes.values.bufferedEntries.get(key)
  if (entry && isSame(entry, message)) {
    context.notes.removeEntry('bufferedEntries', key)
    showMessage(threadId, withChanges<BufferedMessage>(message, omitUndefined({ id: entry.id })), context)
  } else context.notes.setEntry('bufferedReports', key, message)
}

function isSame(left: Report, right: Report): boolean {
  return left.role === right.role && textOf(left.content) === textOf(right.content)
}

/** Notes how the thread reports its messages, by the type of a line. A later version may go on in the older form. */
export function noteReports(threadId: string, reports: Reports, context: CodexContext): void {
  const key = context.threadKey(threadId)
  const known = context.notes.values.reports.get(key)
  if (known === reports || (known !== undefined && reports === 'history')) return
  // A report follows its entry at once. If another entry follows, the file has no reports.
  if (reports === 'history' && !context.notes.values.bufferedEntries.get(key)) return
  context.notes.setEntry('reports', key, reports)
  if (reports !== 'items') showBufferedCompaction(threadId, context)
  if (reports === 'history') return showBufferedEntry(threadId, context)
  const { id: blockId = '', isBesideBroken } = context.notes.values.bufferedEntries.get(key) ?? {}
  if (isBesideBroken) return
  context.notes.removeEntry('bufferedEntries', key)
  // The end of an input has shown the entry, and now its report is there.
  const conversationId = context.conversationOf(threadId)
  if (known === undefined && context.state.findBlock(conversationId, blockId))
    context.emit({ type: 'block:removed', conversationId, blockId })
}

/** Keeps an entry that the end of the input has shown. Its report may be the next message, and then takes its place. */
export function awaitReport(threadId: string, entry: BufferedMessage, memory: CodexMemory): void {
  const key = memory.threadKey(threadId)
  if (entry.id !== undefined && memory.notes.values.reports.get(key) === undefined)
    memory.notes.setEntry('bufferedEntries', key, entry)
}

/** Shows an entry that no report will follow. */
export function showBufferedEntry(threadId: string, context: CodexContext): void {
  const key = context.threadKey(threadId)
  const entry = context.notes.values.bufferedEntries.get(key)
  const reports = context.notes.values.reports.get(key)
  if (!entry || ((reports === 'events' || reports === 'items') && !entry.isBesideBroken)) return
  context.notes.removeEntry('bufferedEntries', key)
  showMessage(threadId, entry, context)
}

/** Shows a report that no entry has followed. */
export function showBufferedReport(threadId: string, context: CodexContext): void {
  const key = context.threadKey(threadId)
  const report = context.notes.values.bufferedReports.get(key)
  if (!report) return
  context.notes.removeEntry('bufferedReports', key)
  showMessage(threadId, report, context)
}

function showMessage(threadId: string, message: BufferedMessage, context: CodexContext): void {
  const { role, id, content, time } = message
  if (id === undefined && isShown(threadId, { role, content, time }, context)) return
  if (message.isBesideBroken && repeatsLastItem(threadId, message, context)) return
  const blockId = id ?? context.nextUnnamedId(threadId)
  if (role === 'user') return showPrompt(threadId, { id: blockId, content, time }, context)
  completeText(threadId, { id: blockId, kind: 'text', text: textOf(content), startedAt: time }, context)
}

/** Whether a message without an id comes again. */
function isShown(
  threadId: string,
  { role, content, time }: Pick<CodexEventOf<'message'>, 'role' | 'content' | 'time'>,
  memory: CodexMemory,
): boolean {
  const shown = shownContent(role, content)
  return memory.hasBlockAt(threadId, time, (block) => isMessage(block) && isEqual(block.content, shown))
}

/** Whether the entry repeats the last item. The broken line beside it was another one then. The ids of entries and items may differ. */
function repeatsLastItem(threadId: string, { role, content }: BufferedMessage, memory: CodexMemory): boolean {
  if (memory.notes.values.reports.get(memory.threadKey(threadId)) !== 'items') return false
  const last = memory.state.blocksOf(memory.conversationOf(threadId)).findLast(isMessage)
  const type = role === 'user' ? 'user_message' : 'assistant_text'
  return last?.type === type && isEqual(last.content, shownContent(role, content))
}

function isMessage(block: ConversationBlock): block is BlockOf<'user_message' | 'assistant_text'> {
  return block.type === 'user_message' || block.type === 'assistant_text'
}

function shownContent(role: BufferedMessage['role'], content: BufferedMessage['content']) {
  return role === 'user' ? userContent(content) : textOf(content)
}

function textOf(content: readonly UserContentPart[]): string {
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('')
}
