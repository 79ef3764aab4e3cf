export type { HubReply, OwnReply } from '../server/hub/answered-request.ts'
export { HubError, type HubErrorCode } from '../server/hub/hub-error.ts'
export type { PersonAnswer } from '../server/hub/person-answer.ts'
export type {
  FollowedUpdate,
  HubAction,
  HubOptions,
  PipeOptions,
  PipeResult,
  SavedReader,
  SessionHub,
} from '../server/hub/session-hub.ts'
export { createSessionHub } from '../server/hub/session-hub.ts'
export type { HubSessionSummary } from '../server/hub/session-summary.ts'
