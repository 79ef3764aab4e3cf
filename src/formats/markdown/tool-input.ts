import { asString, isObject } from '../../json/values.ts'
import type { SessionText } from './text/session-text.ts'

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

const MAX_LINE = 100

/** Returns what a call works on in a few words, or nothing. They are redacted and not escaped. */
export function subjectOf(text: SessionText, input: unknown): string {
  if (typeof input === 'string') return text.short(input)
  if (!isObject(input)) return ''
  const field = [...SUBJECTS, ...Object.keys(input)].find((key) => textOf(input, key) !== '')
  return field === undefined ? '' : text.short(textOf(input, field))
}

/** A command may be a list of words. */
function textOf(input: Readonly<Record<string, unknown>>, key: string): string {
  const value = Object.hasOwn(input, key) ? input[key] : undefined
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value.join(' ')
  return asString(value) ?? ''
}

/**
 * Returns the input of a call without the field that is the subject, because the summary shows it. Each text with several lines is a block
 * of code, because JSON would hide its lines.
 */
export function inputPieces(text: SessionText, input: unknown, subject: string): readonly string[] {
  if (input === undefined || input === null || input === '' || input === subject) return []
  if (typeof input === 'string') return [text.block(input)]
  if (!isObject(input)) return [text.block(text.json(input), 'json')]
  const lines: string[] = []
  const blocks: string[] = []
  for (const [key, value] of Object.entries(input)) {
    const shown = typeof value === 'string' ? secretSafe(text, key, value) : text.json(value)
    if (shown === subject && subject !== '') continue
    if (!shown.includes('\n') && shown.length <= MAX_LINE)
      lines.push(`- ${text.code(key)}: ${text.code(shown, MAX_LINE)}`)
    else blocks.push(`${text.code(key)}:\n\n${text.block(shown, languageOf(key, value))}`)
  }
  return [lines.join('\n'), ...blocks]
}

function languageOf(key: string, value: unknown): string {
  if (typeof value !== 'string') return 'json'
  return key === 'command' ? 'sh' : ''
}

/** The name of a field may say that its value is a secret. */
function secretSafe(text: SessionText, key: string, value: string): string {
  const pair = text.redacted(`${key}=${value}`)
  return text.redacted(pair.startsWith(`${key}=`) ? pair.slice(key.length + 1) : value)
}
