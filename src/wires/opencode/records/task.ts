import type { OpencodeContext } from '../context.ts'
import type { KnownTask } from '../memory.ts'

/** Returns the known facts of a `task` call. A new call has none, and begins its own run. */
export function knownTask(callId: string, { memory }: OpencodeContext): KnownTask {
  return memory.tasks.get(callId) ?? newTask(callId, memory.taskCount)
}

function newTask(callId: string, order: number): KnownTask {
  return { callId, order, runId: callId, isStarted: false, hasEnded: false }
}

export function rememberTask(task: KnownTask, context: OpencodeContext): void {
  const { tasks, taskCount } = context.memory
  context.remember({
    tasks: tasks.with(task.callId, task),
    taskCount: Math.max(taskCount, task.order + 1),
  })
}

/** Forgets a removed call that never started a subagent. */
export function forgetUnstartedTask(callId: string, context: OpencodeContext): void {
  const { tasks } = context.memory
  if (tasks.get(callId)?.isStarted === false) context.removeEntry('tasks', callId)
}
