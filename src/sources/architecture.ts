import { isObject, type JsonObject } from '../state/json.ts'
import { claudeEntries } from './claude/entries.ts'
import { claudeSource } from './claude/source.ts'
import type { CombinedTranscript } from './combined.ts'
import { combinedOf, type Entry, isCombined } from './entries.ts'
import { firstValue, parseJson, valuesIn } from './jsonl.ts'
import { opencodeEntries } from './opencode/entries.ts'
import { readEvent } from './opencode/event.ts'
import { isExport } from './opencode/export.ts'
import { opencodeSource } from './opencode/source.ts'
import { type Reader, SourceReader } from './reader.ts'

/**
 * The programs whose formats can be read: `claude-sdk` is Claude Code and the Claude Agent SDK, stream and files alike;
 * `opencode` is OpenCode: the events of its bus, its exports and `run --format json`.
 */
export type Architecture = 'claude-sdk' | 'opencode'

/** Whether the name is that of an architecture. */
export function isArchitecture(name: string): name is Architecture {
  return name === 'claude-sdk' || name === 'opencode'
}

/** Returns a reader for what the program writes. */
export function readerOf(architecture: Architecture): Reader {
  switch (architecture) {
    case 'claude-sdk':
      return new SourceReader(claudeSource)
    case 'opencode':
      return new SourceReader(opencodeSource)
    default:
      throw unknownArchitecture(architecture)
  }
}

/** Returns the messages of an input, in the order in which they are to be read. */
export function entriesOf(architecture: Architecture, raw: string | CombinedTranscript): Iterable<Entry> {
  switch (architecture) {
    case 'claude-sdk':
      return claudeEntries(raw)
    case 'opencode':
      return opencodeEntries(raw)
    default:
      throw unknownArchitecture(architecture)
  }
}

function unknownArchitecture(architecture: never): RangeError {
  return new RangeError(`unknown architecture ${String(architecture)}: use 'claude-sdk' or 'opencode'`)
}

/**
 * Returns which program wrote an input, by the first of its messages that tells; undefined if none does.
 */
export function detectArchitecture(raw: string | CombinedTranscript): Architecture | undefined {
  const main = combinedOf(raw)?.main ?? raw
  if (typeof main !== 'string') return undefined
  for (const value of messagesIn(main)) {
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
function* messagesIn(text: string): Generator<unknown> {
  const whole = firstValue(text) === undefined ? parseJson(text) : undefined
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
