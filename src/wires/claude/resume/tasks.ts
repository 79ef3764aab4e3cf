import { compareStrings } from '../../../json/compare-strings.ts'
import type { BlockOf, ConversationBlock } from '../../../state/block.ts'
import type { SessionConversationState } from '../../../state/session.ts'
import { isTaskTool, type Task, tasksAfter } from '../tools/task-list.ts'

interface Answer {
  readonly call: BlockOf<'tool_use'>
  readonly result: BlockOf<'tool_result'>
}

/** Returns the session's task list. The todos of a state have no ids, so the list comes from the results of all calls. */
export function resumedTasks({
  blocks,
  branches = [],
  subagents,
}: SessionConversationState): readonly Task[] {
  const threads = [blocks, ...[...branches, ...subagents].map((thread) => thread.blocks)]
  return inOrderOfTime(threads.flatMap(answersIn)).reduce<readonly Task[]>(
    (tasks, { call, result }) => tasksAfter(tasks, { call, record: {}, output: result.output }),
    [],
  )
}

function answersIn(blocks: readonly ConversationBlock[]): readonly Answer[] {
  const calls = new Map<string, BlockOf<'tool_use'>>()
  for (const block of blocks)
    if (block.type === 'tool_use' && isTaskTool(block.toolName)) calls.set(block.toolUseId, block)
  return blocks.flatMap((result) => {
    if (result.type !== 'tool_result' || result.isError) return []
    const call = calls.get(result.toolUseId)
    return call ? [{ call, result }] : []
  })
}

function inOrderOfTime(answers: readonly Answer[]): readonly Answer[] {
  if (answers.some(({ result }) => result.timestamp === undefined)) return answers
  return answers.toSorted((left, right) =>
    compareStrings(left.result.timestamp ?? '', right.result.timestamp ?? ''),
  )
}
