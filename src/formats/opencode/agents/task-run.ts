import { omitUndefined } from '../../../json/omit-undefined.ts'
import { sortedByOrder } from '../../translation/order.ts'
import type { OpencodeContext } from '../context.ts'
import type { OpencodeMemory, Task } from '../memory.ts'

/** What is known of a call that starts a subagent. */
export function taskOf(callId: string, { memory }: OpencodeContext): Task {
  const unknown = { callId, order: memory.taskCount, runId: callId, isStarted: false, isSettled: false }
  return memory.tasks.get(callId) ?? unknown
}

export function rememberTask(task: Task, translation: OpencodeContext): void {
  const { tasks, taskCount } = translation.memory
  translation.remember({
    tasks: tasks.with(task.callId, task),
    taskCount: Math.max(taskCount, task.order + 1),
  })
}

interface RunEnd {
  readonly runId: string
  readonly status: 'completed' | 'error'
  readonly output: string
  readonly durationMs?: number
}

/** A call that was taken back while the model wrote it has never started anything. */
export function forgetAnnounced(callId: string, translation: OpencodeContext): void {
  const { tasks } = translation.memory
  if (tasks.get(callId)?.isStarted === false) translation.remember({ tasks: tasks.without(callId) })
}

/** A run of a subagent has ended; that of an earlier run is no news. */
export function completeRun(toolUseId: string, end: RunEnd, translation: OpencodeContext): void {
  const task = taskOf(toolUseId, translation)
  if (end.runId !== task.runId) return
  rememberTask({ ...task, isSettled: true }, translation)
  const { agentId } = task
  translation.emit(omitUndefined({ type: 'subagent:completed', toolUseId, agentId, ...end }))
}

/** How the program frames what a task said: `<task id="…" state="…">`. */
export function taskTag(said: string): { readonly id: string; readonly state: string } | undefined {
  const [, id, state] = /^<task id="([^"]*)" state="([^"]*)">/.exec(said) ?? []
  return id === undefined || state === undefined ? undefined : { id, state }
}

/** The report alone, which may hold such tags of its own. */
export function reportIn(said: string): string {
  for (const tag of ['task_result', 'task_error']) {
    const from = said.indexOf(`<${tag}>`)
    const to = said.lastIndexOf(`</${tag}>`)
    if (from >= 0 && to > from)
      return said
        .slice(from + tag.length + 2, to)
        .replace(/^\n/, '')
        .replace(/\n$/, '')
  }
  const trailer = said.lastIndexOf('\n<task_metadata>')
  return trailer < 0 ? said : said.slice(0, trailer).trimEnd()
}

/** Whether the program tells in the person's place how a subagent in the background ended. */
export function isNotification(said: string): boolean {
  return taskTag(said) !== undefined
}

export function completeNotified(said: string, translation: OpencodeContext): void {
  const { id = '', state } = taskTag(said) ?? {}
  const callId = translation.memory.callIds.get(id)
  if (callId === undefined || state === 'running') return
  const status = state === 'completed' ? 'completed' : 'error'
  const { runId } = taskOf(callId, translation)
  completeRun(callId, { runId, status, output: reportIn(said) }, translation)
}

/** The calls whose subagents still ran when the input ended, in the order in which they were met. */
export function unfinishedTasks({ tasks }: OpencodeMemory): readonly string[] {
  return sortedByOrder(tasks).flatMap(({ isSettled, callId }) => (isSettled ? [] : callId))
}
