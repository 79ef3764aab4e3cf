export type { LocalLogOptions } from '../server/log/local-log.ts'
export { LogError, type LogErrorCode } from '../server/log/log-error.ts'
export { createMemoryLog } from '../server/log/memory-log.ts'
export type {
  AppendOptions,
  LoggedEvent,
  ReadOptions,
  SessionLog,
  SnapshotOptions,
} from '../server/log/session-log.ts'
export type { SessionWorkerOptions, WorkerUpdate } from '../server/log/worker/leased-session.ts'
export { runSessionWorker } from '../server/log/worker/session-worker.ts'
export type { Snapshot } from '../server/sync/snapshot.ts'
