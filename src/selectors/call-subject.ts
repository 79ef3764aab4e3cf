import { asString } from '../json/values.ts'

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
