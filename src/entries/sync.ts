export {
  type ConnectionStatus,
  type ConnectOptions,
  connectSession,
  type SessionConnection,
} from '../client/connect/connection.ts'
export { SnapshotError } from '../core/json/check-shape.ts'
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
