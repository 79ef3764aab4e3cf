export { type ConnectOptions, connectSession, type SessionConnection } from '../client/connect/connection.ts'
export {
  type ConnectHubOptions,
  connectHub,
  type HubConnection,
  type HubSessions,
  type SessionView,
} from '../client/connect/hub-connection.ts'
export type { ConnectionStatus, StreamOptions } from '../client/connect/message-stream.ts'
export { SnapshotError } from '../core/json/check-shape.ts'
export type { PersonAnswer } from '../server/hub/answered-request.ts'
export { HubError, type HubErrorCode } from '../server/hub/hub-error.ts'
export type { HubSessionSummary } from '../server/hub/session-summary.ts'
export { compactEvents } from '../server/sync/compact-events.ts'
export {
  type Cursor,
  createSyncState,
  type MissingRange,
  missing,
  type Received,
  receive,
  type StampedEvent,
  type SyncIssue,
  type SyncState,
  stamp,
} from '../server/sync/sequence.ts'
export { type PlacedState, restore, type Snapshot, snapshot } from '../server/sync/snapshot.ts'
