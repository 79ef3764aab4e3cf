export { SnapshotError } from '../json/snapshot-error.ts'
export { compactEvents } from './compact-events.ts'
export {
  type ConnectionStatus,
  type ConnectOptions,
  connectSession,
  type SessionConnection,
} from './connect/connection.ts'
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
} from './sequence.ts'
export { type PlacedState, restore, type Snapshot, snapshot } from './snapshot.ts'
