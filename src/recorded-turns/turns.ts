import { hashCanonical } from '../core/identity/canonical.ts'
import { IdentityError } from '../core/identity/identity-error.ts'
import { omitUndefined } from '../core/json/fields.ts'
import { isTime } from '../core/json/iso-time.ts'
import { sha256Hex } from '../core/json/sha256.ts'
import { isObject } from '../core/json/values.ts'
import {
  ConversationLimitError,
  type ConversationLimits,
  limitOf,
  requestTurnIssues,
  storedTurnIssues,
} from './spec.ts'
import {
  isContentHash,
  type RecordedAudio,
  type RequestTurn,
  type SpokenAudio,
  type StoredTurn,
  type UploadedAudio,
} from './turn.ts'

/** The stored form of a request's turns, and the audio to store with them. */
export interface MaterializedTurns {
  readonly turns: readonly StoredTurn[]
  /** Each distinct audio once, in the order in which turns first use it. */
  readonly audio: readonly StoredAudio[]
}

/** Recorded speech with its bytes. `sha256` is the name to store it under: 64 hex digits. */
interface StoredAudio {
  readonly sha256: string
  readonly bytes: Uint8Array
}

/** The turns and the uploaded audio do not match. */
export class RecordedAudioUploadKeyError extends Error {
  readonly code: 'missing-upload-key' | 'unreferenced-upload-key'
  /** The first of the keys. */
  readonly path: readonly string[]
  /** `missing`: a turn names audio that was not uploaded. `unreferenced`: no turn names an uploaded audio. */
  readonly reason: 'missing' | 'unreferenced'
  readonly uploadKeys: readonly string[]

  constructor(reason: 'missing' | 'unreferenced', uploadKeys: readonly string[]) {
    super(`${reason === 'missing' ? 'no audio was uploaded for' : 'no turn names'} ${uploadKeys.join(', ')}`)
    this.name = 'RecordedAudioUploadKeyError'
    this.code = `${reason}-upload-key`
    this.path = uploadKeys.slice(0, 1)
    this.reason = reason
    this.uploadKeys = uploadKeys
  }
}

/**
 * Replaces the upload key of each recorded audio by the SHA-256 of its bytes. Throws a `RecordedAudioUploadKeyError`
 * if keys and audio do not match, and a `ConversationLimitError` if there is too much audio. Throws a `RangeError` if
 * a limit is negative or not a number, and an `IdentityError` for turns or audio of another kind.
 */
export function materializeTurns(
  turns: readonly RequestTurn[],
  audioByKey: ReadonlyMap<string, Uint8Array>,
  limits: Partial<ConversationLimits> = {},
): MaterializedTurns {
  checkKinds(turns, audioByKey)
  checkKeys(turns, audioByKey)
  checkSizes(audioByKey, limits)
  const recorded = new Map(
    [...audioByKey].map(([key, bytes]) => [key, { sha256: sha256Hex(bytes), bytes }] as const),
  )
  const used = [...uploadKeysIn(turns)].flatMap((key) => recorded.get(key) ?? [])
  const bySha256 = new Map(used.map((audio) => [audio.sha256, audio]))
  return { turns: turns.map((turn) => storedTurn(turn, recorded)), audio: [...bySha256.values()] }
}

/**
 * Returns the identity of a conversation: the SHA-256 of its turns' canonical text, 64 hex digits. The name does not
 * count. Throws a `CanonicalizationError` for a number: turns have no numbers, and other languages write numbers
 * differently.
 */
export function hashTurns(turns: readonly StoredTurn[]): string {
  return hashCanonical(turns, { hasNumbers: false })
}

function uploadKeysIn(turns: readonly RequestTurn[]): ReadonlySet<string> {
  return new Set(
    turns.flatMap((turn) =>
      turn.role === 'user' && turn.audio?.kind === 'recorded' ? [turn.audio.upload_key] : [],
    ),
  )
}

function checkKinds(turns: unknown, audioByKey: unknown): void {
  if (!Array.isArray(turns)) throw new IdentityError('not-a-list', ['turns'])
  // An unknown field is left out, and changes nothing.
  const wrong = requestTurnIssues(turns, ['turns']).find(({ code }) => code !== 'unknown-field')
  if (wrong) throw new IdentityError('not-a-turn', wrong.path, wrong.expected)
  // A map of another realm is no instance of this one's.
  if (Object.prototype.toString.call(audioByKey) !== '[object Map]')
    throw new IdentityError('not-a-map', ['audioByKey'])
}

function checkKeys(turns: readonly RequestTurn[], audioByKey: ReadonlyMap<string, Uint8Array>): void {
  const keys = uploadKeysIn(turns)
  const missing = [...keys].filter((key) => !audioByKey.has(key))
  if (missing.length > 0) throw new RecordedAudioUploadKeyError('missing', missing)
  const unreferenced = [...audioByKey.keys()].filter((key) => !keys.has(key))
  if (unreferenced.length > 0) throw new RecordedAudioUploadKeyError('unreferenced', unreferenced)
}

function checkSizes(audioByKey: ReadonlyMap<string, Uint8Array>, limits: Partial<ConversationLimits>): void {
  const audioBytes = limitOf(limits, 'audioBytes')
  const bodyBytes = limitOf(limits, 'bodyBytes')
  let total = 0
  for (const [uploadKey, bytes] of audioByKey) {
    // The length of a text would be in UTF-16 units.
    if (!ArrayBuffer.isView(bytes)) throw new IdentityError('not-bytes', ['audioByKey', uploadKey])
    const actual = bytes.byteLength
    if (actual > audioBytes)
      throw new ConversationLimitError('audioBytes', { actual, allowed: audioBytes, uploadKey })
    total += actual
  }
  if (total > bodyBytes) throw new ConversationLimitError('bodyBytes', { actual: total, allowed: bodyBytes })
}

/** Copies the known fields only. A path on the user's machine must not change the hash. */
function storedTurn(turn: RequestTurn, recorded: ReadonlyMap<string, StoredAudio>): StoredTurn {
  if (turn.role === 'agent') return { role: 'agent' }
  const audio = turn.audio && storedAudio(turn.audio, recorded)
  return omitUndefined({ role: 'user', text: turn.text, audio })
}

function storedAudio(
  audio: UploadedAudio | SpokenAudio,
  recorded: ReadonlyMap<string, StoredAudio>,
): RecordedAudio | SpokenAudio {
  if (audio.kind === 'recorded')
    return { kind: 'recorded', sha256: recorded.get(audio.upload_key)?.sha256 ?? '' }
  return omitUndefined({ kind: 'tts', voice_id: audio.voice_id })
}

/** A stored conversation. The hash of its turns is its key. */
export interface ConversationRow {
  readonly hash: string
  /** For people. The last name wins. */
  readonly name: string
  /** ISO 8601. The time when the conversation was first stored. */
  readonly createdAt: string
  /** ISO 8601. The time when it was last stored. */
  readonly lastRunAt: string
  readonly turns: readonly StoredTurn[]
}

/** The conversation to store, and the time. */
export interface ConversationUpsert {
  readonly name: string
  /** The turns of `materializeTurns`. */
  readonly turns: readonly StoredTurn[]
  /** The time of the request, ISO 8601. */
  readonly now: string
}

/**
 * Why a row could not be made:
 * - `invalid-value`: the value at `path` is of another kind, or has a field that no turn has
 * - `other-conversation`: the row to replace has another hash
 */
export type RowErrorCode = 'invalid-value' | 'other-conversation'

/** A row could not be made. `path` leads to the wrong argument. */
export class ConversationRowError extends TypeError {
  readonly code: RowErrorCode
  readonly path: readonly (string | number)[]

  constructor(code: RowErrorCode, path: readonly (string | number)[], expected: string) {
    super(`${path.join('.') || 'conversation'}: pass ${expected}`)
    this.name = 'ConversationRowError'
    this.code = code
    this.path = path
  }
}

/**
 * Returns the row to store, given the row that the store has under the hash of these turns, or null. The name and the
 * last time are the new ones, and the first time stays. Throws a `ConversationRowError` for a wrong argument.
 */
export function upsertConversation(
  existing: ConversationRow | null | undefined,
  conversation: ConversationUpsert,
): ConversationRow {
  if (!isObject(conversation)) throw new ConversationRowError('invalid-value', [], 'an object')
  const { name, turns, now } = conversation
  if (typeof name !== 'string') throw new ConversationRowError('invalid-value', ['name'], 'a string')
  const [wrong] = storedTurnIssues(turns, ['turns'])
  if (wrong) throw new ConversationRowError('invalid-value', wrong.path, wrong.expected)
  if (!isTime(now)) throw new ConversationRowError('invalid-value', ['now'], ISO_TIME)
  const hash = hashTurns(turns)
  if (existing) checkRow(existing, hash)
  return { hash, name, createdAt: existing?.createdAt ?? now, lastRunAt: now, turns }
}

const ISO_TIME = 'an ISO 8601 time'

function checkRow(row: ConversationRow, hash: string): void {
  if (!isObject(row)) throw new ConversationRowError('invalid-value', ['existing'], 'a row, or null')
  if (row.hash !== hash)
    throw new ConversationRowError('other-conversation', ['existing', 'hash'], `the row of ${hash}`)
  if (!isTime(row.createdAt))
    throw new ConversationRowError('invalid-value', ['existing', 'createdAt'], ISO_TIME)
}

/** The store has no conversation with the hash. A server answers 404. */
export class ConversationNotFoundError extends Error {
  readonly code = 'conversation-not-found'
  readonly path = ['conversation_hash'] as const
  /** The value that was asked for, if it is a hash. */
  readonly hash: string | undefined

  constructor(hash: unknown) {
    super(isContentHash(hash) ? `no conversation has the hash ${hash}` : 'a hash has 64 lowercase hex digits')
    this.name = 'ConversationNotFoundError'
    this.hash = isContentHash(hash) ? hash : undefined
  }
}
