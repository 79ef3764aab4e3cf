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
