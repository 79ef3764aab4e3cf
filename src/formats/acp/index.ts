export { SnapshotError } from '../../json/snapshot-error.ts'
export type { JsonValue } from '../../json/values.ts'
export type { Ending, Source, SourceEnd, SourceIssue, SourceIssueCode, Translated } from '../source.ts'
export type { AcpMemory } from './reading/memory.ts'
export { acpSource } from './source.ts'
export type {
  AcpToolKind,
  AnnouncementMeta,
  ChildSessionUpdate,
  ChildState,
  ContentBlock,
  MessageChunk,
  PlanEntry,
  PlanUpdate,
  SessionInfoUpdate,
  SessionMessage,
  SessionNotification,
  SessionUpdate,
  SubagentUpdate,
  ToolCallContent,
  ToolCallDiff,
  ToolCallEnd,
  ToolCallLocation,
  ToolCallStart,
  ToolCallStatus,
  UpdateMeta,
  UsageUpdate,
} from './writing/messages.ts'
export type { ReplayCapabilities, SessionUpdatesOptions } from './writing/options.ts'
export { toSessionUpdates } from './writing/to-session-updates.ts'
