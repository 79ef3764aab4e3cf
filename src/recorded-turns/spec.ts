import { hasLoneSurrogate } from '../core/identity/canonical.ts'
import { MAX_ISSUES, type ValueIssue } from '../core/json/check-shape.ts'
import { asObject, isObject, type JsonObject, parseJson } from '../core/json/values.ts'
import { type ConversationSpec, isContentHash, type StoredTurn } from './turn.ts'

/**
 * A problem in a conversation's spec or in stored turns:
 * - `missing`: there is no input, as if a form lacks the part
 * - `not-json`: the input is neither text nor bytes, not JSON, or not UTF-8
 * - `too-large`: the spec has more bytes than `specBytes`
 * - `invalid-value`: the value is of another kind
 * - `unknown-field`: the object has a field of another name than `expected` lists
 */
export type ConversationIssue = ValueIssue<
  'missing' | 'not-json' | 'too-large' | 'invalid-value' | 'unknown-field'
>

/** The value, or its problems: the first 100 of them. */
export type Parsed<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly issues: readonly ConversationIssue[] }

/**
 * Reads a conversation in a request: `{ name, turns }` as JSON text or bytes, for example the part of a form. Any
 * other value is an issue. Throws a `RangeError` if a limit is negative or not a number.
 */
export function parseConversationSpec(
  json: unknown,
  limits: Partial<ConversationLimits> = {},
): Parsed<ConversationSpec> {
  const specBytes = limitOf(limits, 'specBytes')
  if (byteLength(json, specBytes) > specBytes)
    return failure({ code: 'too-large', path: [], expected: `at most ${specBytes} bytes` })
  return parseWith(json, (value, report) => {
    if (!isObject(value)) return report([], 'an object')
    checkFieldNames(value, ['name', 'turns'], [], report)
    if (typeof value.name !== 'string') report(['name'], 'a string')
    checkTurns(value.turns, ['turns'], uploadedAudio, report)
  })
}

/** Reads stored turns. Corrupt turns, and values that are neither text nor bytes, are issues; the result is never a shorter list. */
export function parseStoredTurns(json: unknown): Parsed<readonly StoredTurn[]> {
  return parseWith(json, (value, report) => checkTurns(value, [], recordedAudio, report))
}

/** Returns the problems of turns in a request. `path` leads to them. */
export function requestTurnIssues(turns: unknown, path: Path): readonly ConversationIssue[] {
  return turnIssues(turns, path, uploadedAudio)
}

/** Returns the problems of turns that are to be stored. `path` leads to them. */
export function storedTurnIssues(turns: unknown, path: Path): readonly ConversationIssue[] {
  return turnIssues(turns, path, recordedAudio)
}

function turnIssues(turns: unknown, path: Path, audio: Check): readonly ConversationIssue[] {
  const issues: ConversationIssue[] = []
  checkTurns(turns, path, audio, reportTo(issues))
  return issues
}

const TEXT_OR_BYTES = 'JSON text or bytes'

type Path = ConversationIssue['path']
type Report = (path: Path, expected: string, code?: ConversationIssue['code']) => void
type Check = (value: JsonObject, path: Path, report: Report) => void

/** Returns the UTF-8 bytes of a text or of bytes. A text of more UTF-16 units than `limit` is not encoded: each is at least one byte. */
function byteLength(json: unknown, limit: number): number {
  if (typeof json !== 'string') return isBytes(json) ? json.byteLength : 0
  return json.length > limit ? json.length : new TextEncoder().encode(json).length
}

function parseWith<Value>(json: unknown, check: (value: unknown, report: Report) => void): Parsed<Value> {
  if (json === null || json === undefined)
    return failure({ code: 'missing', path: [], expected: TEXT_OR_BYTES })
  if (typeof json !== 'string' && !isBytes(json))
    return failure({ code: 'not-json', path: [], expected: TEXT_OR_BYTES })
  const text = typeof json === 'string' ? json : decodeUtf8(json)
  if (text === undefined) return failure({ code: 'not-json', path: [], expected: 'UTF-8' })
  const value = parseJson(text)
  if (value === undefined) return failure({ code: 'not-json', path: [], expected: 'JSON' })
  const issues: ConversationIssue[] = []
  check(value, reportTo(issues))
  return issues.length === 0 ? { ok: true, value: value as Value } : { ok: false, issues }
}

function reportTo(issues: ConversationIssue[]): Report {
  return (path, expected, code = 'invalid-value') => {
    if (issues.length < MAX_ISSUES) issues.push({ code, path, expected })
  }
}

/** Accepts bytes of any realm: each frame of a page has its own classes, so `instanceof` is wrong here. */
function isBytes(value: unknown): value is ArrayBuffer | Uint8Array {
  return /^\[object (?:ArrayBuffer|Uint8Array)\]$/.test(Object.prototype.toString.call(value))
}

function decodeUtf8(bytes: ArrayBuffer | Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}

function failure(issue: ConversationIssue): {
  readonly ok: false
  readonly issues: readonly ConversationIssue[]
} {
  return { ok: false, issues: [issue] }
}

/** The hash leaves out unknown fields, so an unknown field is refused. */
function checkFieldNames(value: JsonObject, names: readonly string[], path: Path, report: Report): void {
  for (const name of Object.keys(value))
    if (!names.includes(name)) report([...path, name], `one of ${names.join(', ')}`, 'unknown-field')
}

function checkTurns(value: unknown, path: Path, audio: Check, report: Report): void {
  if (!Array.isArray(value)) return report(path, 'a list of turns')
  for (const [at, turn] of value.entries()) checkTurn(turn, [...path, at], audio, report)
}

function checkTurn(value: unknown, path: Path, audio: Check, report: Report): void {
  if (!isObject(value)) return report(path, 'an object')
  if (value.role === 'agent') return checkFieldNames(value, ['role'], path, report)
  if (value.role !== 'user') return report([...path, 'role'], 'user or agent')
  checkFieldNames(value, ['role', 'text', 'audio'], path, report)
  checkText(value.text, [...path, 'text'], report)
  if (value.audio !== undefined) checkAudio(value.audio, [...path, 'audio'], audio, report)
}

/** A text without UTF-8 has no hash. */
function checkText(value: unknown, path: Path, report: Report): void {
  if (typeof value !== 'string' || hasLoneSurrogate(value))
    report(path, 'a string without half surrogate pairs')
}

function checkAudio(value: unknown, path: Path, recorded: Check, report: Report): void {
  if (!isObject(value)) return report(path, 'an object')
  if (value.kind === 'recorded') return recorded(value, path, report)
  if (value.kind !== 'tts') return report([...path, 'kind'], 'recorded or tts')
  checkFieldNames(value, ['kind', 'voice_id'], path, report)
  if (value.voice_id !== undefined) checkText(value.voice_id, [...path, 'voice_id'], report)
}

/** A request may have the `path` of the bytes on the user's machine. It is not stored. */
const uploadedAudio: Check = (value, path, report) => {
  checkFieldNames(value, ['kind', 'upload_key', 'path'], path, report)
  if (typeof value.upload_key !== 'string' || !/^[A-Za-z0-9_.-]+$/.test(value.upload_key))
    report([...path, 'upload_key'], 'one or more of A-Z, a-z, 0-9, _, . and -')
  // The form's part `spec` is the conversation itself.
  else if (value.upload_key === 'spec') report([...path, 'upload_key'], 'another name than spec')
}

const recordedAudio: Check = (value, path, report) => {
  checkFieldNames(value, ['kind', 'sha256'], path, report)
  if (!isContentHash(value.sha256)) report([...path, 'sha256'], '64 lowercase hex digits')
}

/** The greatest size of a conversation, in bytes; the spec in UTF-8 bytes. */
export interface ConversationLimits {
  readonly specBytes: number
  /** The size of one recorded audio. */
  readonly audioBytes: number
  /** The size of all recorded audio together, without the spec. */
  readonly bodyBytes: number
}

/** 256 KB for the spec, 50 MB for each audio part, 512 MB for all ("content-hash conversations"). 1 KB is 1024 bytes. */
export const DEFAULT_LIMITS: ConversationLimits = Object.freeze({
  specBytes: 262_144,
  audioBytes: 52_428_800,
  bodyBytes: 536_870_912,
})

/** Returns a limit in bytes. Throws a `RangeError` if it is not a number, because no size is greater than NaN. */
export function limitOf(limits: Partial<ConversationLimits>, name: keyof ConversationLimits): number {
  const bytes = asObject(limits)[name] ?? DEFAULT_LIMITS[name]
  if (typeof bytes === 'number' && bytes >= 0) return bytes
  throw new RangeError(`${name}: pass bytes, 0 or more`)
}

/** A conversation is larger than a limit. */
export class ConversationLimitError extends RangeError {
  readonly code = 'too-large'
  /** The part of the form that is too large; empty if it is the form itself. */
  readonly path: readonly string[]
  readonly limit: keyof ConversationLimits
  /** In bytes. */
  readonly actual: number
  /** In bytes. */
  readonly allowed: number
  /** The upload key of the audio that is too large. */
  readonly uploadKey?: string

  constructor(
    limit: keyof ConversationLimits,
    size: { readonly actual: number; readonly allowed: number; readonly uploadKey?: string },
  ) {
    super(`${limit}: ${size.actual} bytes are more than the allowed ${size.allowed}`)
    this.name = 'ConversationLimitError'
    this.path = size.uploadKey === undefined ? [] : [size.uploadKey]
    this.limit = limit
    this.actual = size.actual
    this.allowed = size.allowed
    if (size.uploadKey !== undefined) this.uploadKey = size.uploadKey
  }
}
