export { computeAgentTypeHash, computeToolSetHash, hashSystemPrompt } from './agent-type.ts'
export {
  CanonicalizationError,
  type CanonicalizationErrorCode,
  type CanonicalOptions,
  canonicalize,
  hashCanonical,
} from './canonical.ts'
export {
  type ConversationIdentity,
  computeConversationHash,
  hashFirstAssistantResponse,
  hashUserMessage,
  type IdentifyOptions,
  identifyConversation,
} from './conversation.ts'
export { ConversationLimitError, type ConversationLimits } from './limits.ts'
export {
  type IdentifiedConversation,
  type IdentifySessionOptions,
  identifySession,
} from './session.ts'
export {
  type ConversationIssue,
  type Parsed,
  parseConversationSpec,
  parseStoredTurns,
} from './spec.ts'
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
