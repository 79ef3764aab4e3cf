export type { FollowedUpdate, HubOptions, PipeResult, SessionHub } from './session-hub.ts'
export { createSessionHub } from './session-hub.ts'
