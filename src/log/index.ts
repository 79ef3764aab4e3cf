export type { Snapshot } from '../sync/snapshot.ts'
export { createFileLog } from './file/file-log.ts'
export type { LocalLogOptions } from './local-log.ts'
export { LogError, type LogErrorCode } from './log-error.ts'
export { createMemoryLog } from './memory-log.ts'
export type {
  Appended,
  AppendOptions,
  LoggedEvent,
  ReadOptions,
  SessionLog,
  SnapshotOptions,
} from './session-log.ts'
export type { SessionUpdate, SessionWorkerOptions } from './worker/options.ts'
export { runSessionWorker } from './worker/session-worker.ts'
