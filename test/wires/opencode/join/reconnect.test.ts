import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { findSubagent } from '../../../../src/entries/index.ts'
import { runs } from '../../../depth.ts'
import { textsOf } from '../../recordings.ts'
import {
  child,
  completed,
  main,
  pending,
  prompt,
  readEvents,
  readOpenEvents,
  running,
  taskOutput,
  taskTarget,
} from '../messages.ts'
import { recordings, replay } from '../recordings.ts'

describe('a client that reconnects', () => {
  it('has the same state after all events arrive again', () => {
    for (const { events } of recordings) expect(replay(events + events).state).toEqual(replay(events).state)
  })

  it('has the same texts and subagents after one old event arrives again', () => {
    fc.assert(
      fc.property(fc.constantFrom(...recordings), fc.nat(), fc.nat(), ({ events }, place, age) => {
        const lines = events.trimEnd().split('\n')
        const end = 1 + (place % lines.length)
        const old = lines[age % end] ?? ''
        const { state } = replay([...lines.slice(0, end), old, ...lines.slice(end)].join('\n'))
        expect(textsOf(state)).toEqual(textsOf(replay(events).state))
        expect(state.subagents).toEqual(replay(events).state.subagents)
      }),
      { numRuns: runs(25) },
    )
  })
})

describe('a streaming text', () => {
  const started = [...prompt, main.assistantStart('msg_2'), main.textStart('msg_2', 'prt_2')]
  const first = main.delta('msg_2', 'prt_2', 'Hel')
  const second = main.delta('msg_2', 'prt_2', 'lo')

  it('appends each event once', () => {
    const { state } = readEvents(...started, first, second, first, second)
    expect(textsOf(state)).toEqual(['Hello'])
  })

  it('stays complete when an earlier partial text arrives again', () => {
    const again = [...started, main.delta('msg_2', 'prt_2', ' again')]
    const { state, reducerIssues } = readEvents(
      ...started,
      main.wholeText('msg_2', 'prt_2', 'Hello'),
      ...again,
    )
    expect(reducerIssues).toEqual([])
    expect(state.blocks.at(-1)).toMatchObject({ content: 'Hello', status: 'complete' })
  })
})

it('a call stays complete when its first updates arrive again after the result', () => {
  const call = [pending, running(), running({ metadata: { output: 'a' } })].map((state) =>
    main.tool('msg_2', 'prt_2', state),
  )
  const done = main.tool('msg_2', 'prt_2', completed('a\nb'))
  const { state, reducerIssues } = readEvents(...prompt, main.assistantStart('msg_2'), ...call, done, ...call)
  expect(state.blocks.slice(1)).toMatchObject([
    { type: 'tool_use', status: 'complete', input: { command: 'ls' } },
    { type: 'tool_result', status: 'complete', output: 'a\nb' },
  ])
  expect(reducerIssues).toEqual([])
})

describe('a repeated event after a lost connection', () => {
  it('keeps the ending of the session', () => {
    for (const { events } of recordings) expect(replay(events + events).ending).toBe('finished')
  })
  it('does not complete a later run of the subagent', () => {
    const again = taskTarget(child.id, { prompt: 'Go on.', task_id: child.id })
    const note = main.userText('msg_50', 'prt_50', taskOutput(child.id, 'First.'), { synthetic: true })
    const { state } = readOpenEvents(
      ...prompt,
      main.assistantStart('msg_10'),
      child.created(),
      main.task('msg_10', 'call-1', running(taskTarget(child.id))),
      main.task(
        'msg_10',
        'call-1',
        completed(taskOutput(child.id, 'Wait.', 'running'), taskTarget(child.id)),
      ),
      main.user('msg_50'),
      note,
      main.assistantStart('msg_60'),
      main.task('msg_60', 'call-2', running(again)),
      note,
    )
    expect(findSubagent(state, 'call-1')).toMatchObject({ status: 'running', runId: 'call-2' })
  })
  it('keeps the open message open', () => {
    const old = main.assistantEnd('msg_2', { finish: 'tool-calls' })
    const { state } = readOpenEvents(
      ...prompt,
      main.assistantStart('msg_2'),
      old,
      main.assistantStart('msg_3'),
      main.tool('msg_3', 'prt_3', running()),
      old,
    )
    expect(state.blocks.at(-1)).toMatchObject({ type: 'tool_use', status: 'pending' })
  })
})
