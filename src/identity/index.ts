// Canonical text: one text and one hash for equal values.

export {
  CanonicalizationError,
  type CanonicalizationErrorCode,
  type CanonicalOptions,
  canonicalize,
  hashCanonical,
} from './canonical.ts'
// RFC 00033: the hashes of an agent type and of a conversation.
export {
  type ConversationIdentity,
  computeAgentTypeHash,
  computeConversationHash,
  computeToolSetHash,
  hashFirstAssistantResponse,
  hashSystemPrompt,
  hashUserMessage,
} from './hashes.ts'
// The identities of the conversations in a session state.
export { type IdentifyOptions, identifyConversation } from './identify.ts'
export { ConversationLimitError, type ConversationLimits, DEFAULT_LIMITS } from './limits.ts'
export { type IdentifiedConversation, type IdentifySessionOptions, identifySession } from './session.ts'
export { type ConversationIssue, type Parsed, parseConversationSpec, parseStoredTurns } from './spec.ts'
// Content-hash conversations: read a spec, store its audio, hash its turns.
export type {
  ConversationSpec,
  RecordedAudio,
  RequestTurn,
  SpokenAudio,
  StoredTurn,
  Turn,
  UploadedAudio,
} from './turn.ts'
export {
  hashTurns,
  type MaterializedTurns,
  materializeTurns,
  RecordedAudioUploadKeyError,
  shortHash,
} from './turns.ts'
