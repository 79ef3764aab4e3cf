import { isObject, type JsonObject, parseJson } from '../json/values.ts'
import { hasLoneSurrogate } from './canonical.ts'
import { type ConversationLimits, limitOf } from './limits.ts'
import type { ConversationSpec, StoredTurn } from './turn.ts'

/** What is wrong with a conversation, and where. */
export interface ConversationIssue {
  readonly code: 'not-json' | 'too-large' | 'invalid-value' | 'unknown-field'
  readonly path: readonly (string | number)[]
  /** What belongs there. */
  readonly expected: string
}

/** The value, or everything that is wrong with it. */
export type Parsed<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly issues: readonly ConversationIssue[] }

/**
 * Reads a conversation as it is sent in, `{ name, turns }` as JSON text or bytes. Throws a `RangeError` for a limit that is no
 * number or a negative one.
 */
export function parseConversationSpec(
  json: string | Uint8Array,
  limits: Partial<ConversationLimits> = {},
): Parsed<ConversationSpec> {
  const specBytes = limitOf(limits, 'specBytes')
  // A text has a byte or more for each UTF-16 unit: one that is far too long is not encoded, which would double it.
  const isTooLarge =
    typeof json === 'string'
      ? json.length > specBytes || new TextEncoder().encode(json).length > specBytes
      : json.byteLength > specBytes
  if (isTooLarge) return refused({ code: 'too-large', path: [], expected: `at most ${specBytes} bytes` })
  return parseWith(json, (value, report) => {
    if (!isObject(value)) return report([], 'an object')
    checkNames(value, ['name', 'turns'], [], report)
    if (typeof value.name !== 'string') report(['name'], 'a string')
    checkTurns(value.turns, ['turns'], uploadedAudio, report)
  })
}

/** Reads turns as they were stored. Corrupt ones are issues, never an empty list. */
export function parseStoredTurns(json: string | Uint8Array): Parsed<readonly StoredTurn[]> {
  return parseWith(json, (value, report) => checkTurns(value, [], recordedAudio, report))
}

type Path = ConversationIssue['path']
type Report = (path: Path, expected: string, code?: ConversationIssue['code']) => void
type Check = (value: JsonObject, path: Path, report: Report) => void

function parseWith<Value>(
  json: string | Uint8Array,
  check: (value: unknown, report: Report) => void,
): Parsed<Value> {
  const text = typeof json === 'string' ? json : utf8(json)
  if (text === undefined) return refused({ code: 'not-json', path: [], expected: 'UTF-8' })
  const value = parseJson(text)
  if (value === undefined) return refused({ code: 'not-json', path: [], expected: 'JSON' })
  const issues: ConversationIssue[] = []
  check(value, (path, expected, code = 'invalid-value') => issues.push({ code, path, expected }))
  return issues.length === 0 ? { ok: true, value: value as Value } : { ok: false, issues }
}

function utf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}

function refused(issue: ConversationIssue): {
  readonly ok: false
  readonly issues: readonly ConversationIssue[]
} {
  return { ok: false, issues: [issue] }
}

/** A field that is not known would be left out of the hash, so it is refused. */
function checkNames(value: JsonObject, names: readonly string[], path: Path, report: Report): void {
  for (const name of Object.keys(value))
    if (!names.includes(name)) report([...path, name], `one of ${names.join(', ')}`, 'unknown-field')
}

function checkTurns(value: unknown, path: Path, audio: Check, report: Report): void {
  if (!Array.isArray(value)) return report(path, 'a list of turns')
  for (const [at, turn] of value.entries()) checkTurn(turn, [...path, at], audio, report)
}

function checkTurn(value: unknown, path: Path, audio: Check, report: Report): void {
  if (!isObject(value)) return report(path, 'an object')
  if (value.role === 'agent') return checkNames(value, ['role'], path, report)
  if (value.role !== 'user') return report([...path, 'role'], 'user or agent')
  checkNames(value, ['role', 'text', 'audio'], path, report)
  checkText(value.text, [...path, 'text'], report)
  if (value.audio !== undefined) checkAudio(value.audio, [...path, 'audio'], audio, report)
}

/** What is hashed has to have UTF-8. */
function checkText(value: unknown, path: Path, report: Report): void {
  if (typeof value !== 'string' || hasLoneSurrogate(value))
    report(path, 'a string without half surrogate pairs')
}

function checkAudio(value: unknown, path: Path, recorded: Check, report: Report): void {
  if (!isObject(value)) return report(path, 'an object')
  if (value.kind === 'recorded') return recorded(value, path, report)
  if (value.kind !== 'tts') return report([...path, 'kind'], 'recorded or tts')
  checkNames(value, ['kind', 'voice_id'], path, report)
  if (value.voice_id !== undefined) checkText(value.voice_id, [...path, 'voice_id'], report)
}

/** A path is where the bytes once were on somebody's machine: it is let in, and goes no further. */
const uploadedAudio: Check = (value, path, report) => {
  checkNames(value, ['kind', 'upload_key', 'path'], path, report)
  if (typeof value.upload_key !== 'string' || !/^[A-Za-z0-9_.-]+$/.test(value.upload_key))
    report([...path, 'upload_key'], 'one or more of A-Z, a-z, 0-9, _, . and -')
}

const recordedAudio: Check = (value, path, report) => {
  checkNames(value, ['kind', 'sha256'], path, report)
  if (typeof value.sha256 !== 'string' || !/^[0-9a-f]{64}$/.test(value.sha256))
    report([...path, 'sha256'], '64 lowercase hex digits')
}
