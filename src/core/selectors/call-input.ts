import { Allow, parse } from 'partial-json'
import { asString } from '../json/values.ts'
import type { BlockOf } from '../state/block.ts'

/** The kinds of values that may be incomplete. A number may not: `1` may become `12`. */
const INCOMPLETE = Allow.STR | Allow.OBJ | Allow.ARR

/**
 * Returns the input of a tool call as far as it is known. While the input streams, that is the value of `inputText`:
 * its last text, list or object may be incomplete. Undefined if no value has begun, or if the text is no JSON.
 */
export function partialInput({ input, inputText }: BlockOf<'tool_use'>): unknown {
  if (inputText === undefined) return input
  try {
    return withPlainObjects(parse(inputText, INCOMPLETE))
  } catch {
    return undefined
  }
}

/** The parser takes a field `__proto__` for the prototype of the object. No prototype may come from a model, so the field is missing. */
function withPlainObjects(value: unknown): unknown {
  const parts = [value]
  for (const part of parts) {
    if (typeof part !== 'object' || part === null) continue
    if (!Array.isArray(part)) Object.setPrototypeOf(part, Object.prototype)
    for (const inner of Object.values(part)) parts.push(inner)
  }
  return value
}

/** The fields that say best what a call works on, the best first. */
const SUBJECTS: readonly string[] = [
  'command',
  'cmd',
  'file_path',
  'filePath',
  'notebook_path',
  'path',
  'pattern',
  'query',
  'url',
  'skill',
  'name',
  'title',
  'description',
  'prompt',
]

/** Returns the name of the field that says best what a call works on. */
export function subjectField(input: Readonly<Record<string, unknown>>): string | undefined {
  return [...SUBJECTS, ...Object.keys(input)].find((key) => subjectText(input, key) !== '')
}

/** Returns the text of a field, or nothing if it is no text. A command may be a list of words. */
export function subjectText(input: Readonly<Record<string, unknown>>, key: string): string {
  const value = Object.hasOwn(input, key) ? input[key] : undefined
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value.join(' ')
  return asString(value) ?? ''
}
