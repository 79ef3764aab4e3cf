import { describe, expect, it } from 'vitest'
import { opencodeSource } from '../../../src/wires/opencode/source.ts'
import {
  answer,
  child,
  completed,
  idleEvents,
  main,
  prompt,
  running,
  subagentTurn,
  taskOutput,
  taskTarget,
  withEventIds,
} from '../opencode/messages.ts'
import { type Message, statesOf, statusesOf } from './session-statuses.ts'

const statuses = (...events: readonly Message[]) => statusesOf(opencodeSource, withEventIds(events))

describe('the bus', () => {
  it('runs from each prompt to its idle event', () => {
    const second = [main.user('msg_91'), main.assistantStart('msg_92'), main.assistantEnd('msg_92')]
    expect(statuses(...prompt, ...answer, ...second, ...idleEvents())).toEqual([
      ...['idle', 'running', 'running'],
      ...['running', 'running', 'running', 'finished'],
      ...['running', 'running', 'running', 'finished', 'finished', 'finished'],
    ])
  })

  // The message that was stopped states the error after the session is idle, and the idle events come again.
  it('is interrupted from the idle event after a stop to the next prompt', () => {
    const error = { name: 'MessageAbortedError', data: { message: 'Aborted' } }
    const stop = [
      main.failed(error),
      ...idleEvents(),
      main.assistantEnd('msg_02', { error }),
      ...idleEvents(),
    ]
    expect(statuses(...prompt, main.assistantStart('msg_02'), ...stop, main.user('msg_03'))).toEqual([
      ...['idle', 'running', 'running', 'running'],
      ...['running', 'interrupted', 'interrupted', 'interrupted', 'interrupted', 'interrupted'],
      ...['running', 'interrupted'],
    ])
  })

  // A shell command reports its output while it runs, and the report may come after the idle event.
  it('stays interrupted when a stopped tool still reports output', () => {
    const error = { name: 'MessageAbortedError', data: { message: 'Aborted' } }
    const start = [main.assistantStart('msg_02'), main.tool('msg_02', 'prt_02', running())]
    const late = [
      main.tool('msg_02', 'prt_02', running({ metadata: { output: 'half' } })),
      main.tool('msg_02', 'prt_02', completed('User aborted')),
      main.assistantEnd('msg_02', { error }),
      ...idleEvents(),
    ]
    const before = [...prompt, ...start, main.failed(error), main.idle()]
    expect(statuses(...before, ...late).slice(before.length - 1)).toEqual(
      ['stop', ...late, 'end'].map(() => 'interrupted'),
    )
  })

  it('runs while a request is repeated, and has failed after the session’s error', () => {
    const retry = main.status({ type: 'retry', attempt: 1, message: 'Overloaded', next: 5000 })
    const error = { name: 'APIError', data: { message: 'refused' } }
    const events = [...prompt, main.assistantStart('msg_02'), retry, main.failed(error), main.idle()]
    expect(statuses(...events).join(' ')).toBe('idle running running running running running failed failed')
    expect(statesOf(opencodeSource, withEventIds(events)).at(-1)?.turn).toMatchObject({ error: 'refused' })
  })

  it('is in the background while a subagent outlives the turn, and runs for its report', () => {
    const target = taskTarget(child.id)
    const launch = [
      main.assistantStart('msg_10'),
      child.created(),
      main.task('msg_10', 'call-1', running(target)),
      main.task('msg_10', 'call-1', completed(taskOutput(child.id, 'Started.', 'running'), target)),
      main.assistantEnd('msg_10', { finish: 'tool-calls' }),
    ]
    const report = [
      main.user('msg_91'),
      main.userText('msg_91', 'prt_91', taskOutput(child.id, 'Report.'), { synthetic: true }),
    ]
    const work = subagentTurn(child, 'Report.')
    expect(statuses(...prompt, ...launch, ...answer, ...work, ...report, main.idle())).toEqual([
      ...['idle', 'running', 'running'],
      ...launch.map(() => 'running'),
      ...['running', 'running', 'running', 'background'],
      ...work.map(() => 'background'),
      ...['running', 'running', 'finished', 'finished'],
    ])
  })
})
