import { asString, isObject } from '../../../json/values.ts'
import type { CombinedTranscript } from '../../../session/input/combined.ts'
import {
  type Entry,
  entriesOfLines,
  entryOfTranscript,
  unwrapCombined,
} from '../../../session/input/entries.ts'
import { fileValue, firstValue } from '../../../session/input/jsonl.ts'
import { isExport, type SessionExport } from './export.ts'
import { isMessageList, isStoredMessage } from './message-list.ts'

/**
 * Returns the messages of an input: bus events, `opencode run` lines, exports, or a list of stored messages. Each export and each
 * list is one message.
 */
export function opencodeEntries(raw: string | CombinedTranscript): Iterable<Entry> {
  const input = unwrapCombined(raw)
  if (typeof input !== 'string') return entriesOfCombined(input)
  return isEventLines(input) ? entriesOfLines(input) : mainExportFirst(entriesOfText(input))
}

/** Whether the text is one event a line. Such a text needs no sorting, so it can be read line by line. */
function isEventLines(raw: string): boolean {
  const first = firstValue(raw)
  return isObject(first) && !isExport(first)
}

/** Returns the messages of a text: one export on many lines, a JSON list, or one message a line. */
function entriesOfText(raw: string): readonly Entry[] {
  const whole = parseWholeText(raw)
  if (isExport(whole) || isStoredMessage(whole) || isMessageList(whole)) return [{ line: 1, message: whole }]
  if (Array.isArray(whole) && whole.length > 0) return whole.map((message: unknown) => ({ line: 1, message }))
  return [...entriesOfLines(raw)]
}

function parseWholeText(raw: string): unknown {
  const begin = raw.trimStart()[0]
  return begin === '{' || begin === '[' ? fileValue(raw) : undefined
}

function entriesOfCombined({ main, subagents }: CombinedTranscript): readonly Entry[] {
  const others = subagents.flatMap(({ id, transcript }) =>
    entriesOfText(transcript).map((entry) => entryOfTranscript(id, entry)),
  )
  return [...mainExportFirst(entriesOfText(main)), ...others]
}

/**
 * Moves the main session's export to the front and drops its parent. So a subagent's session that was exported alone is shown
 * as main.
 */
function mainExportFirst(entries: readonly Entry[]): readonly Entry[] {
  const main = findMainExport(entries.flatMap((entry) => exportOfEntry(entry) ?? []))
  if (!main) return entries
  const { parentID, ...info } = main.info
  const others = entries.filter((entry) => exportOfEntry(entry) !== main)
  return [{ line: 1, message: { ...main, info } }, ...others]
}

function exportOfEntry(entry: Entry): SessionExport | undefined {
  return 'message' in entry && isExport(entry.message) ? entry.message : undefined
}

/** Returns the first session whose parent is not among the exports. */
function findMainExport(exports: readonly SessionExport[]): SessionExport | undefined {
  const ids = new Set(exports.map(({ info }) => info.id))
  return exports.find(({ info }) => !ids.has(asString(info.parentID)))
}
