export { SnapshotError } from '../core/json/check-shape.ts'
export type { JsonValue } from '../core/json/values.ts'
export type {
  Ending,
  ReadIssue,
  Reading,
  RefusedEvent,
  Source,
  SourceEnd,
  SourceIssue,
  SourceIssueCode,
} from '../reading/source.ts'
export type { ReplayCapabilities, SessionUpdatesOptions } from '../sinks/acp/conversation.ts'
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
} from '../sinks/acp/messages.ts'
export { toSessionUpdates } from '../sinks/acp/to-session-updates.ts'
export { acpSource } from '../wires/acp/source.ts'
