// Canonical text: one text and one hash for equal values.

export {
  CanonicalizationError,
  type CanonicalizationErrorCode,
  type CanonicalOptions,
  canonicalize,
  hashCanonical,
} from '../core/identity/canonical.ts'

// RFC 00033: the hashes of an agent type and of a conversation.

export {
  type ConversationIdentity,
  computeAgentTypeHash,
  computeConversationHash,
  computeToolSetHash,
  hashFirstAssistantResponse,
  hashSystemPrompt,
  hashUserMessage,
} from '../core/identity/hashes.ts'

export { IdentityError, type IdentityErrorCode } from '../core/identity/identity-error.ts'

// The identities of the conversations in a session state.

export type { FirstMessages } from '../core/identity/first-response.ts'
export type { IdentifyOptions } from '../core/identity/identify.ts'
export {
  type IdentifiedConversation,
  type IdentifySessionOptions,
  identifyConversation,
  identifySession,
} from '../gateway/identify-session.ts'

// Content-hash conversations: read a spec, store its audio, hash its turns, keep its row and its replays.

export {
  isReplayState,
  isTerminalReplayState,
  type ReplayLifecycleErrorCode,
  type ReplayLifecycleState,
  ReplayLifecycleTransitionError,
  transitionReplay,
} from '../recorded-turns/replay.ts'
export {
  type ConversationIssue,
  ConversationLimitError,
  type ConversationLimits,
  DEFAULT_LIMITS,
  type Parsed,
  parseConversationSpec,
  parseStoredTurns,
} from '../recorded-turns/spec.ts'
export type {
  ConversationSpec,
  RecordedAudio,
  RequestTurn,
  SpokenAudio,
  StoredTurn,
  Turn,
  UploadedAudio,
} from '../recorded-turns/turn.ts'
export { HASH_PREFIX_LENGTH, isContentHash, shortHash } from '../recorded-turns/turn.ts'
export {
  ConversationNotFoundError,
  type ConversationRow,
  ConversationRowError,
  type ConversationUpsert,
  hashTurns,
  type MaterializedTurns,
  materializeTurns,
  RecordedAudioUploadKeyError,
  type RowErrorCode,
  upsertConversation,
} from '../recorded-turns/turns.ts'
