import type { BlockStatus, SessionStatus, SubagentStatus } from 'agentfold'
import type { ReactNode } from 'react'

type Status = BlockStatus | SubagentStatus | SessionStatus

const WORDS: Readonly<Record<Status, string>> = {
  pending: 'waiting',
  running: 'running',
  complete: 'done',
  success: 'done',
  error: 'failed',
  idle: 'idle',
  waiting: 'waiting for you',
  background: 'agents running',
  finished: 'done',
  interrupted: 'interrupted',
  failed: 'failed',
}

/** A dot in the colour of the status, with its name, because not everybody sees colours. */
export function StatusMark({ status }: { readonly status: Status }): ReactNode {
  return <span className={`status ${status}`}>{WORDS[status]}</span>
}
