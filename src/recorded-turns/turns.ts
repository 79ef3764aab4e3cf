import { hashCanonical } from '../core/identity/canonical.ts'
import { IdentityError } from '../core/identity/identity-error.ts'
import { omitUndefined } from '../core/json/fields.ts'
import { sha256Hex } from '../core/json/sha256.ts'
import { ConversationLimitError, type ConversationLimits, limitOf } from './limits.ts'
import { requestTurnIssues } from './spec.ts'
import type { RecordedAudio, RequestTurn, SpokenAudio, StoredTurn, UploadedAudio } from './turn.ts'

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
