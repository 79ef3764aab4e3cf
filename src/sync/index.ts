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
export { type PlacedState, restore, type Snapshot, SnapshotError, snapshot } from './snapshot.ts'
