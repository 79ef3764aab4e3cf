import { omitUndefined } from '../../../json/omit-undefined.ts'
import { withChanges } from '../../../json/with-changes.ts'
import { extractReport, parseTaskTag } from '../../../programs/opencode/task-output.ts'
import type { OpencodeContext } from '../context.ts'
import { knownTask, rememberTask } from '../records/task.ts'

interface RunEnd {
  readonly runId: string
  readonly status: 'completed' | 'error'
  readonly output: string
  readonly durationMs?: number
}

/** Completes the current run of a subagent. The end of an earlier run changes nothing. */
export function completeRun(toolUseId: string, end: RunEnd, context: OpencodeContext): void {
  const task = knownTask(toolUseId, context)
  if (end.runId !== task.runId) return
  rememberTask(withChanges(task, { hasEnded: true }), context)
  const { agentId } = task
  context.emit(omitUndefined({ type: 'subagent:completed', toolUseId, agentId, ...end }))
}

/** Whether a synthetic user text reports the end of a background subagent. */
export function isTaskNotification(text: string): boolean {
  return parseTaskTag(text) !== undefined
}

/** Completes the background subagent whose end the notification reports. */
export function completeFromNotification(text: string, context: OpencodeContext): void {
  const { id = '', state } = parseTaskTag(text) ?? {}
  const callId = context.memory.callIdBySession.get(id)
  if (callId === undefined || state === 'running') return
  const status = state === 'completed' ? 'completed' : 'error'
  const { runId } = knownTask(callId, context)
  completeRun(callId, { runId, status, output: extractReport(text) }, context)
}
