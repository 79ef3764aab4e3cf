export type { FollowedUpdate, HubOptions, PipeResult, SessionHub } from '../server/hub/session-hub.ts'
export { createSessionHub } from '../server/hub/session-hub.ts'
