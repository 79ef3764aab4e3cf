/** Speech that was recorded; the request names the bytes by a key of its own. */
export interface UploadedAudio {
  readonly kind: 'recorded'
  /** Which uploaded part holds the bytes. */
  readonly upload_key: string
}

/** Speech that was recorded, by its content. */
export interface RecordedAudio {
  readonly kind: 'recorded'
  /** Of the bytes, 64 hex digits. */
  readonly sha256: string
}

/** Speech that is made from the turn's text. */
export interface SpokenAudio {
  readonly kind: 'tts'
  readonly voice_id?: string
}

/** What the person says, or the agent's turn to answer. */
export type Turn<Recorded> =
  | { readonly role: 'user'; readonly text: string; readonly audio?: Recorded | SpokenAudio }
  | { readonly role: 'agent' }

/** A turn as it is sent in. */
export type RequestTurn = Turn<UploadedAudio>

/** A turn as it is stored and hashed: nothing of it depends on a machine or an upload. */
export type StoredTurn = Turn<RecordedAudio>

/** A conversation as it is sent in: a name for people, and what it is. */
export interface ConversationSpec {
  readonly name: string
  readonly turns: readonly RequestTurn[]
}
