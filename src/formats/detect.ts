import { isObject } from '../json/values.ts'
import { type Architecture, allFormats } from './all.ts'
import type { CombinedTranscript } from './combined.ts'
import { isCombined, unwrapCombined } from './entries.ts'
import { fileValue, firstValue, valuesIn } from './jsonl.ts'

/** Returns the format of an input, by the first message that a format recognizes; undefined if none does. */
export function detectArchitecture(raw: string | CombinedTranscript): Architecture | undefined {
  const input = unwrapCombined(raw)
  for (const value of valuesOf(typeof input === 'string' ? input : input.main)) {
    const architecture = architectureOf(value)
    if (architecture) return architecture
  }
  return undefined
}

/** Whether the input, by its beginning, has one message a line, so that it can be read as it arrives. */
export function isLines(beginning: string): boolean {
  const first = firstValue(beginning)
  // A line that cannot be the beginning of a value is one broken line among others.
  if (first === undefined) return !/^\s*[[{]/.test(beginning)
  return isObject(first) && !isCombined(first) && !isDocument(first)
}

/** An input is one value on many lines, or one value a line. A value that is a list may hold messages or documents. */
function* valuesOf(text: string): Generator<unknown, void> {
  const whole = firstValue(text) === undefined ? fileValue(text) : undefined
  if (whole === undefined) yield* valuesIn(text)
  else yield* Array.isArray(whole) ? whole : [whole]
}

function architectureOf(value: unknown): Architecture | undefined {
  const formats = allFormats()
  // A whole session is the surer sign: a message of another program may have the same fields.
  const found =
    formats.find((format) => format.isDocument(value)) ?? formats.find((format) => format.isMessage(value))
  return found?.traits.name
}

function isDocument(value: unknown): boolean {
  return allFormats().some((format) => format.isDocument(value))
}
