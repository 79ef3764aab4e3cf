import { asString, isObject } from '../../../json/values.ts'
import type { CombinedTranscript } from '../../combined.ts'
import { type Entry, entriesOfLines, unwrapCombined } from '../../entries.ts'
import { fileValue, firstValue } from '../../jsonl.ts'
import { isExport, type SessionExport } from './export.ts'

/** Returns the messages of an input: events or run lines, or exports, each of which is one message. */
export function opencodeEntries(raw: string | CombinedTranscript): Iterable<Entry> {
  const input = unwrapCombined(raw)
  if (typeof input !== 'string') return entriesOfCombined(input)
  return isEvents(input) ? entriesOfLines(input) : withMain(entriesOfText(input))
}

/** An export is one JSON value on many lines, and several may be a list. */
function entriesOfText(raw: string): readonly Entry[] {
  const whole = wholeValue(raw)
  if (isExport(whole)) return [{ line: 1, message: whole }]
  if (Array.isArray(whole) && whole.length > 0) return whole.map((message: unknown) => ({ line: 1, message }))
  return [...entriesOfLines(raw)]
}

/** Lines that are no exports: none of them is main, so they can be read one by one. */
function isEvents(raw: string): boolean {
  const first = firstValue(raw)
  return isObject(first) && !isExport(first)
}

function wholeValue(raw: string): unknown {
  const begin = raw.trimStart()[0]
  return begin === '{' || begin === '[' ? fileValue(raw) : undefined
}

function entriesOfCombined({ main, subagents }: CombinedTranscript): readonly Entry[] {
  const others = subagents.flatMap(({ id, transcript }) =>
    entriesOfText(transcript).map((entry) => ({ ...entry, transcript: id })),
  )
  return [...withMain(entriesOfText(main)), ...others]
}

/** Main comes first. Somebody who exports a subagent's session alone wants to see that as main. */
function withMain(entries: readonly Entry[]): readonly Entry[] {
  const main = mainOf(entries.flatMap((entry) => exportIn(entry) ?? []))
  if (!main) return entries
  const { parentID, ...info } = main.info
  const others = entries.filter((entry) => exportIn(entry) !== main)
  return [{ line: 1, message: { ...main, info } }, ...others]
}

function exportIn(entry: Entry): SessionExport | undefined {
  return 'message' in entry && isExport(entry.message) ? entry.message : undefined
}

/** The first session whose parent is not there. */
function mainOf(exports: readonly SessionExport[]): SessionExport | undefined {
  const ids = new Set(exports.map(({ info }) => info.id))
  return exports.find(({ info }) => !ids.has(asString(info.parentID)))
}
