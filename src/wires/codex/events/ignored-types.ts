/** The types of rollout lines without content of the conversation. */
export const IGNORED_LINES: ReadonlySet<string> = new Set([
  'world_state',
  'inter_agent_communication_metadata',
  'retained_context',
  'ghost_snapshot',
])

/** The types of a rollout's events that repeat other lines, or have no content of the conversation. */
export const IGNORED_EVENTS: ReadonlySet<string> = new Set([
  'agent_reasoning',
  'agent_reasoning_raw_content',
  'agent_reasoning_section_break',
  'thread_settings_applied',
  'thread_name_updated',
  'thread_goal_updated',
  'session_configured',
  'item_started',
  'exec_command_begin',
  'patch_apply_begin',
  'mcp_tool_call_begin',
  'web_search_begin',
  'collab_agent_spawn_begin',
  'collab_agent_spawn_end',
  'collab_agent_interaction_begin',
  'collab_agent_interaction_end',
  'collab_waiting_begin',
  'collab_waiting_end',
  'collab_close_begin',
  'collab_close_end',
  'turn_diff',
  'plan_update',
  'background_event',
  'deprecation_notice',
  'mcp_startup_update',
  'mcp_startup_complete',
  'undo_started',
  'undo_completed',
  'shutdown_complete',
  'ghost_snapshot',
  'additional_tools',
  'compaction',
  'context_compacted',
  'context_compaction',
  'compaction_summary',
])

/** The messages of the app-server about items whose end has the same content, or that have none. */
export const IGNORED_NOTES: ReadonlySet<string> = new Set([
  'item/fileChange/outputDelta',
  'item/fileChange/patchUpdated',
  'item/mcpToolCall/progress',
  'item/webSearch/progress',
  'item/autoApprovalReview/started',
  'item/autoApprovalReview/completed',
])
