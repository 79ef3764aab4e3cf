import { omitUndefined } from '../json/omit-undefined.ts'
import { hashCanonical } from './canonical.ts'
import { ConversationLimitError, type ConversationLimits, limitOf } from './limits.ts'
import { sha256Hex } from './sha256.ts'
import type { RecordedAudio, RequestTurn, SpokenAudio, StoredTurn, UploadedAudio } from './turn.ts'

/** Turns as they are stored, and the audio that has to be stored with them. */
export interface MaterializedTurns {
  readonly turns: readonly StoredTurn[]
  /** Each distinct audio once, in the order of its first turn. */
  readonly audio: readonly StoredAudio[]
}

interface StoredAudio {
  readonly sha256: string
  readonly bytes: Uint8Array
}

/** Turns and uploaded audio that do not belong together. */
export class RecordedAudioUploadKeyError extends Error {
  /** `missing`: a turn names audio that was not uploaded. `unreferenced`: no turn names the audio. */
  readonly reason: 'missing' | 'unreferenced'
  readonly uploadKeys: readonly string[]

  constructor(reason: 'missing' | 'unreferenced', uploadKeys: readonly string[]) {
    super(`${reason === 'missing' ? 'no audio was uploaded for' : 'no turn names'} ${uploadKeys.join(', ')}`)
    this.name = 'RecordedAudioUploadKeyError'
    this.reason = reason
    this.uploadKeys = uploadKeys
  }
}

/**
 * Puts the SHA-256 of each recorded audio in the place of its upload key. Throws a `RecordedAudioUploadKeyError` where keys
 * and audio do not belong together, a `ConversationLimitError` where there is too much of it, a `RangeError` for a limit that is
 * no number or a negative one, and a `TypeError` for audio that is no `Uint8Array`.
 */
export function materializeTurns(
  turns: readonly RequestTurn[],
  audioByKey: ReadonlyMap<string, Uint8Array>,
  limits: Partial<ConversationLimits> = {},
): MaterializedTurns {
  checkKeys(turns, audioByKey)
  checkSizes(audioByKey, limits)
  const recorded = new Map(
    [...audioByKey].map(([key, bytes]) => [key, { sha256: sha256Hex(bytes), bytes }] as const),
  )
  const used = [...keysIn(turns)].flatMap((key) => recorded.get(key) ?? [])
  const bySha256 = new Map(used.map((audio) => [audio.sha256, audio]))
  return { turns: turns.map((turn) => storedTurn(turn, recorded)), audio: [...bySha256.values()] }
}

/**
 * Returns the identity of a conversation: the SHA-256 of its turns' canonical text, 64 hex digits. The name is no part of it.
 * Throws a `CanonicalizationError` for a number: turns have none, and other languages write numbers in other ways.
 */
export function hashTurns(turns: readonly StoredTurn[]): string {
  return hashCanonical(turns, { hasNumbers: false })
}

/** How much of a hash people are shown. */
const SHORT_LENGTH = 8

/** Returns the beginning of a hash, for people to read: 8 digits unless told otherwise. */
export function shortHash(hash: string, length: number = SHORT_LENGTH): string {
  return hash.slice(0, length)
}

function keysIn(turns: readonly RequestTurn[]): ReadonlySet<string> {
  return new Set(
    turns.flatMap((turn) =>
      turn.role === 'user' && turn.audio?.kind === 'recorded' ? [turn.audio.upload_key] : [],
    ),
  )
}

function checkKeys(turns: readonly RequestTurn[], audioByKey: ReadonlyMap<string, Uint8Array>): void {
  const keys = keysIn(turns)
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
    // A text would be measured in other units.
    if (!ArrayBuffer.isView(bytes)) throw new TypeError('audio: pass a Uint8Array')
    const actual = bytes.byteLength
    if (actual > audioBytes)
      throw new ConversationLimitError('audioBytes', { actual, allowed: audioBytes, uploadKey })
    total += actual
  }
  if (total > bodyBytes) throw new ConversationLimitError('bodyBytes', { actual: total, allowed: bodyBytes })
}

/** Only what is known of a turn goes on: a path on somebody's machine is no part of who the conversation is. */
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
