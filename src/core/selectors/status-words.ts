import type { BlockStatus } from '../state/block.ts'
import type { SubagentStatus } from '../state/subagent.ts'
import type { SessionStatus } from './status.ts'

/**
 * A status of a session, an agent or a block that people can see. A call without its result is `running`, and an open
 * request is `waiting`. A call that the person refused is `denied`.
 */
export type ShownStatus = SessionStatus | SubagentStatus | BlockStatus | 'denied'

/** The words of each status. The terminal, the page, a report and Markdown have the same ones. */
export const STATUS_WORDS: Readonly<Record<ShownStatus, string>> = {
  idle: 'idle',
  pending: 'not started',
  running: 'running',
  waiting: 'waiting for you',
  background: 'in the background',
  complete: 'done',
  success: 'done',
  finished: 'done',
  interrupted: 'interrupted',
  error: 'failed',
  failed: 'failed',
  denied: 'denied',
}
