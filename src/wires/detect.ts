import { isObject } from '../json/values.ts'
import type { Architecture } from '../programs/program.ts'
import type { CombinedTranscript } from '../session/input/combined.ts'
import { isCombined, unwrapCombined } from '../session/input/entries.ts'
import { fileValue, firstValue, valuesIn } from '../session/input/jsonl.ts'
import { allFormats } from './all.ts'

/** Returns the format of an input, by the first message that a format recognizes; undefined if none does. Throws a `TypeError` if the input is neither text nor a combined transcript. */
export function detectArchitecture(raw: string | CombinedTranscript): Architecture | undefined {
  const input = unwrapCombined(raw)
  for (const value of valuesOf(typeof input === 'string' ? input : input.main)) {
    const architecture = architectureOf(value)
    if (architecture) return architecture
  }
  return undefined
}

/** Whether an input with this beginning has one message per line, so that a reader can read it as it arrives. */
export function isLines(beginning: string): boolean {
  const first = firstValue(beginning)
  // A first line that cannot start a longer JSON value is one broken line of many.
  if (first === undefined) return !/^\s*[[{]/.test(beginning)
  return isObject(first) && !isCombined(first) && !isDocument(first)
}

/** Returns the values of an input, which is one value on many lines or one value per line. A list may hold messages or documents. */
function* valuesOf(text: string): Generator<unknown, void> {
  const document = firstValue(text) === undefined ? fileValue(text) : undefined
  if (document === undefined) yield* valuesIn(text)
  else yield* Array.isArray(document) ? document : [document]
}

/** Returns the format of one value: a message, a document, or a list of them. */
export function architectureOf(value: unknown): Architecture | undefined {
  const formats = allFormats()
  const messages: readonly unknown[] = Array.isArray(value) ? value : [value]
  // Documents come first: a message of one program may have the same fields as a message of another.
  const found =
    formats.find((format) => format.isDocument(value)) ??
    formats.find((format) => messages.some((message) => format.isMessage(message)))
  return found?.name
}

function isDocument(value: unknown): boolean {
  return allFormats().some((format) => format.isDocument(value))
}
