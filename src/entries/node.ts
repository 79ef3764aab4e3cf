export { type FollowOptions, type FollowUpdate, followSession } from '../node/follow/follow-session.ts'
export type { FollowIssue, RestartIssue, RestartReason, WatchIssue } from '../node/follow/growing-file.ts'
export type { SessionProgress } from '../node/follow/progress.ts'
export { listSessions } from '../node/list/list-sessions.ts'
export type { ListIssue, ListOptions, SessionSummary } from '../node/list/session-summary.ts'
export { createFileLog } from '../node/log/file-log.ts'
export { type FetchHandler, type NodeHandlerOptions, nodeHandler } from '../node/node-handler.ts'
export type { SessionReading } from '../node/read/read-input.ts'
export { readSession } from '../node/read/read-session.ts'
export type { MatchKind, SearchMatch, SearchRole } from '../node/search.ts'
export type { UpdateOptions } from '../node/session-index/index-updater.ts'
export { openSessionIndex } from '../node/session-index/open-session-index.ts'
export { SessionIndexError, type SessionIndexErrorCode } from '../node/session-index/postgres/index-error.ts'
export { openPostgresIndex } from '../node/session-index/postgres/postgres-source.ts'
export {
  type PushOptions,
  type PushResult,
  pushSessions,
} from '../node/session-index/postgres/push-sessions.ts'
export type {
  AgentFacts,
  CallFacts,
  ChangedFile,
  SessionPart,
  ToolPart,
} from '../node/session-index/session-details.ts'
export type { TimeLike } from '../node/session-index/session-filter.ts'
export type {
  Answer,
  FoundMatch,
  IndexOptions,
  MatchPlace,
  SearchQuery,
  SessionIndex,
  SessionMatches,
  SessionRecord,
  SessionsQuery,
  StatisticsQuery,
  UpdateResult,
} from '../node/session-index/session-questions.ts'
export type { SessionRow } from '../node/session-index/session-row.ts'
export type { Statistic, StatisticKey } from '../node/session-index/statistics.ts'
export { type CombinedTranscript, TranscriptError } from '../reading/input/combined.ts'
export type { Ending, SourceIssue } from '../reading/source.ts'
export type { LocalLogOptions } from '../server/log/local-log.ts'
export { LogError, type LogErrorCode } from '../server/log/log-error.ts'
export type { SessionLog } from '../server/log/session-log.ts'
