import { asString, isObject, type JsonObject } from '../json/values.ts'
import { claudeEntries } from './claude/files/entries.ts'
import { claudeSource } from './claude/source.ts'
import type { CombinedTranscript } from './combined.ts'
import { type Entry, isCombined, unwrapCombined } from './entries.ts'
import { fileValue, firstValue, valuesIn } from './jsonl.ts'
import { readEvent } from './opencode/events/event.ts'
import { opencodeEntries } from './opencode/files/entries.ts'
import { isExport } from './opencode/files/export.ts'
import { opencodeSource } from './opencode/source.ts'
import { type Reader, SourceReader } from './reader.ts'

/**
 * The programs whose formats can be read: `claude-sdk` is Claude Code and the Claude Agent SDK, stream and files alike;
 * `opencode` is OpenCode: the events of its bus, its exports and `run --format json`.
 */
export type Architecture = 'claude-sdk' | 'opencode'

/** Whether the name is that of an architecture. */
export function isArchitecture(name: unknown): name is Architecture {
  return typeof name === 'string' && Object.hasOwn(PROGRAMS, name)
}

interface Program {
  readonly reader: () => Reader
  readonly entriesIn: (raw: string | CombinedTranscript) => Iterable<Entry>
}

const PROGRAMS: Readonly<Record<Architecture, Program>> = {
  'claude-sdk': { reader: () => new SourceReader(claudeSource), entriesIn: claudeEntries },
  opencode: { reader: () => new SourceReader(opencodeSource), entriesIn: opencodeEntries },
}

function programOf(architecture: Architecture): Program {
  if (isArchitecture(architecture)) return PROGRAMS[architecture]
  throw new RangeError(`unknown architecture ${asString(architecture) ?? ''}: use 'claude-sdk' or 'opencode'`)
}

/** Returns a reader for what the program writes. */
export function readerOf(architecture: Architecture): Reader {
  return programOf(architecture).reader()
}

/** Returns the messages of an input, in the order in which they are to be read. */
export function entriesOf(architecture: Architecture, raw: string | CombinedTranscript): Iterable<Entry> {
  return programOf(architecture).entriesIn(raw)
}

/**
 * Returns which program wrote an input, by the first of its messages that tells; undefined if none does.
 */
export function detectArchitecture(raw: string | CombinedTranscript): Architecture | undefined {
  const input = unwrapCombined(raw)
  for (const value of messagesIn(typeof input === 'string' ? input : input.main)) {
    const architecture = architectureOf(value)
    if (architecture) return architecture
  }
  return undefined
}

/** Whether the input, by its beginning, is one message a line, and can be read as it comes. */
export function isLines(beginning: string): boolean {
  const first = firstValue(beginning)
  // A line that can't be the beginning of a value is a broken one among others.
  if (first === undefined) return !/^\s*[[{]/.test(beginning)
  return isObject(first) && !isCombined(first) && !isExport(first)
}

/** An input is one value, on many lines, or one value a line. */
function* messagesIn(text: string): Generator<unknown, void> {
  const whole = firstValue(text) === undefined ? fileValue(text) : undefined
  if (whole === undefined) yield* valuesIn(text)
  else yield* Array.isArray(whole) ? whole : [whole]
}

function architectureOf(value: unknown): Architecture | undefined {
  if (Array.isArray(value)) return value.some(isExport) ? 'opencode' : undefined
  if (!isObject(value)) return undefined
  if (isExport(value)) return 'opencode'
  if (isClaude(value)) return 'claude-sdk'
  return readEvent(value) ? 'opencode' : undefined
}

/** Lines of Claude Code have a type, and belong to a session, a message or another line. */
function isClaude({ type, ...line }: JsonObject): boolean {
  const names = ['session_id', 'sessionId', 'uuid', 'message', 'event', 'leafUuid']
  return typeof type === 'string' && names.some((name) => line[name] !== undefined)
}
