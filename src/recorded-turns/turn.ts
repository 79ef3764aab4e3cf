import { checkText } from '../core/identity/hashes.ts'
import { IdentityError } from '../core/identity/identity-error.ts'

/** Recorded speech in a request. */
export interface UploadedAudio {
  readonly kind: 'recorded'
  /** The key of the uploaded part that holds the bytes. */
  readonly upload_key: string
}

/** Recorded speech in a stored turn. */
export interface RecordedAudio {
  readonly kind: 'recorded'
  /** The SHA-256 of the bytes, 64 hex digits. */
  readonly sha256: string
}

/** Speech that a text-to-speech voice makes from the turn's text. */
export interface SpokenAudio {
  readonly kind: 'tts'
  readonly voice_id?: string
}

/** A message of the user, or the agent's turn to answer. */
export type Turn<Recorded> =
  | { readonly role: 'user'; readonly text: string; readonly audio?: Recorded | SpokenAudio }
  | { readonly role: 'agent' }

/** A turn in a request. */
export type RequestTurn = Turn<UploadedAudio>

/** A turn in storage, as it is hashed. It does not depend on a machine or an upload. */
export type StoredTurn = Turn<RecordedAudio>

/** A conversation in a request. The name is for people; the turns are its identity. */
export interface ConversationSpec {
  readonly name: string
  readonly turns: readonly RequestTurn[]
}

/** The digits of a hash that `shortHash` shows by default. */
export const HASH_PREFIX_LENGTH = 8

const HASH = /^[0-9a-f]{64}$/

/** Whether the value is the hash of turns or of audio: 64 lowercase hex digits. */
export function isContentHash(value: unknown): value is string {
  return typeof value === 'string' && HASH.test(value)
}

/**
 * Returns the beginning of a hash for people to read, 8 digits by default. Throws an `IdentityError` if the hash is no
 * text, or the length no number.
 */
export function shortHash(hash: string, length: number = HASH_PREFIX_LENGTH): string {
  checkText(hash, ['hash'])
  if (typeof length !== 'number') throw new IdentityError('not-a-number', ['length'])
  return hash.slice(0, length)
}
