import type { SessionStatus } from '../../selectors/status.ts'
import type { StyleName } from './style.ts'

/** The colour of each status of a session. */
export const STATUS_COLOURS: Readonly<Record<SessionStatus, StyleName>> = {
  idle: 'dim',
  running: 'cyan',
  waiting: 'magenta',
  background: 'cyan',
  finished: 'green',
  interrupted: 'yellow',
  failed: 'red',
}
