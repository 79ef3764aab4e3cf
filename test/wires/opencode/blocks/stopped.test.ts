import { describe, expect, it } from 'vitest'
import { notesOf, textsOf } from '../../recordings.ts'
import {
  child,
  completed,
  failed,
  idleEvents,
  type Message,
  main,
  pending,
  prompt,
  running,
  taskTarget,
} from '../messages.ts'
import { readBoth } from '../stored.ts'

const ABORTED = { name: 'MessageAbortedError', data: { message: 'Aborted' } }
const stopped = (id: string, session = main) =>
  session.assistantEnd(id, { finish: undefined, error: ABORTED })

describe('a session that the user stops', () => {
  // OpenCode is idle before it sends the last updates, and then once more.

  it('shows the final output of the running command', () => {
    const output = 'one\n\n<shell_metadata>\nUser aborted the command\n</shell_metadata>'
    const { state, ending } = readBoth(
      ...prompt,
      main.assistantStart('msg_2'),
      main.tool('msg_2', 'prt_2', pending),
      main.tool('msg_2', 'prt_2', running({ metadata: { output: 'one\n' } })),
      main.failed(ABORTED),
      ...idleEvents(),
      main.tool('msg_2', 'prt_2', completed(output)),
      stopped('msg_2'),
      ...idleEvents(),
    )
    expect(state.blocks.slice(1)).toMatchObject([
      { type: 'tool_use', status: 'complete' },
      { type: 'tool_result', status: 'complete', output },
      { type: 'system', subtype: 'interruption' },
    ])
    expect(ending).toBe('interrupted')
  })

  it('completes the running subagent, and keeps its partial text', () => {
    const call = (state: Message) => main.task('msg_2', 'call-1', state)
    const interrupted = taskTarget(child.id, {}, { interrupted: true })
    const { state, issues, ending } = readBoth(
      ...prompt,
      main.assistantStart('msg_2'),
      call(pending),
      child.created(),
      call(running(taskTarget(child.id))),
      child.user('c_1'),
      child.userText('c_1', 'c_p1', 'Look closely.'),
      child.assistantStart('c_2'),
      child.textStart('c_2', 'c_p2'),
      child.delta('c_2', 'c_p2', 'I am lo'),
      child.failed(ABORTED),
      main.failed(ABORTED),
      ...idleEvents(),
      call(failed('Tool execution aborted', interrupted)),
      stopped('msg_2'),
      child.wholeText('c_2', 'c_p2', 'I am lo'),
      stopped('c_2', child),
      ...idleEvents(child),
      ...idleEvents(),
    )
    expect(state.subagents).toMatchObject([
      { toolUseId: 'call-1', status: 'error', output: 'Tool execution aborted' },
    ])
    expect(state.subagents.map((subagent) => textsOf(subagent))).toEqual([['I am lo']])
    expect(state.subagents.map((subagent) => notesOf(subagent, 'interruption').length)).toEqual([1])
    expect(notesOf(state, 'interruption')).toHaveLength(1)
    expect(issues).toEqual([])
    expect(ending).toBe('interrupted')
  })
})
