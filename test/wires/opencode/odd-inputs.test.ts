import { describe, expect, it } from 'vitest'
import { findSubagent } from '../../../src/entries/index.ts'
import { ofType } from '../recordings.ts'
import {
  answer,
  child,
  completed,
  delegation,
  main,
  prompt,
  readEvents,
  running,
  SessionEvents,
  subagentTurn,
  taskOutput,
  taskTarget,
  toLines,
  withEventIds,
} from './messages.ts'
import { replay } from './recordings.ts'
import { readBoth } from './stored.ts'

describe('an unusual input', () => {
  it('is read if an event is wrapped 20,000 times', () => {
    const deep = `${'{"payload":'.repeat(20_000)}1${'}'.repeat(20_000)}`
    const codes = replay(`${toLines(withEventIds(prompt))}${deep}`).issues.map(({ code }) => code)
    expect(codes).toEqual(['too-deep', 'unknown-message'])
  })
  it('reports the type of an unknown wrapped event', () => {
    const { issues } = replay(`${toLines(withEventIds(prompt))}{"payload":{"type":"tea.break"}}`)
    expect(issues).toMatchObject([{ messageType: 'tea.break' }])
  })
  it('keeps the known cost if a later event has none', () => {
    expect(
      readEvents(main.created({ cost: 0.5 }), main.updated({ cost: undefined })).state.session.costUsd,
    ).toBe(0.5)
  })
  it('is refused if it is an empty list', () => expect(() => replay('[]')).toThrow())
  it('reports the model of the last answer, live and stored', () => {
    const { state } = readBoth(
      main.created({ model: { id: 'a' } }),
      main.assistantEnd('msg_2', { modelID: 'b' }),
      main.updated({ model: { id: 'a' } }),
    )
    expect(state.session.model).toBe('b')
  })
  it('may use a call id twice: the second call gets its part’s id', () => {
    const { state } = readBoth(
      ...prompt,
      main.assistantStart('msg_2'),
      main.tool('msg_2', 'prt_1', completed('A'), { callID: 'call_0' }),
      main.assistantEnd('msg_2'),
      main.assistantStart('msg_3'),
      main.tool('msg_3', 'prt_2', completed('B'), { callID: 'call_0' }),
      main.assistantEnd('msg_3'),
    )
    expect(ofType(state, 'tool_result').map(({ output }) => output)).toEqual(['A', 'B'])
    expect(ofType(state, 'tool_use').map(({ toolUseId }) => toolUseId)).toEqual(['call_0', 'prt_2'])
  })
  it('may reveal late that a call resumes a subagent', () => {
    const { state } = readEvents(
      ...delegation,
      main.assistantStart('msg_20'),
      main.task('msg_20', 'call-2', running({ input: {} })),
      main.task('msg_20', 'call-2', running(taskTarget(child.id, { task_id: child.id }))),
    )
    expect(state.subagents).toHaveLength(1)
  })
  it('may ask to resume a subagent for which OpenCode then starts a new session', () => {
    const twin = new SessionEvents('ses_twin', main.id)
    const { state } = readEvents(
      ...delegation,
      main.assistantStart('msg_20'),
      main.task('msg_20', 'call-2', running({ input: { prompt: 'x', task_id: child.id } })),
      twin.created(),
      main.task('msg_20', 'call-2', running(taskTarget(twin.id, { task_id: child.id }))),
      ...subagentTurn(twin, 'T'),
      main.task(
        'msg_20',
        'call-2',
        completed(taskOutput(twin.id, 'T'), taskTarget(twin.id, { task_id: child.id })),
      ),
    )
    expect(findSubagent(state, 'call-1')).toMatchObject({ status: 'success', runId: 'call-1' })
    expect(ofType(state, 'tool_use')).toEqual([])
  })
  it('may be an export whose messages do not name their session', () => {
    const { state } = replay(
      JSON.stringify({
        info: { id: 's' },
        messages: [{ info: { id: 'm', role: 'user' }, parts: [{ id: 'p', type: 'text', text: 'Hi' }] }],
      }),
    )
    expect(state.subagents).toEqual([])
    expect(state.blocks).toMatchObject([{ content: 'Hi' }])
  })
  it('shows a rejected question differently from an answered one', () => {
    const request = main.event('question.asked', { id: 'que_1', questions: [] })
    const { state } = readEvents(...prompt, request, main.event('question.rejected', { requestID: 'que_1' }))
    const { state: replied } = readEvents(
      ...prompt,
      request,
      main.event('question.replied', { requestID: 'que_1' }),
    )
    expect(ofType(state, 'request')).not.toEqual(ofType(replied, 'request'))
  })
  it('may resume a subagent that is still running', () => {
    const again = taskTarget(child.id, { task_id: child.id })
    const { reducerIssues, issues } = readEvents(
      ...prompt,
      main.assistantStart('msg_10'),
      child.created(),
      main.task('msg_10', 'call-1', running(taskTarget(child.id))),
      main.task(
        'msg_10',
        'call-1',
        completed(taskOutput(child.id, 'Wait.', 'running'), taskTarget(child.id)),
      ),
      main.task('msg_10', 'call-2', running(again)),
      main.task('msg_10', 'call-2', completed(taskOutput(child.id, 'Two.'), again)),
      ...answer,
    )
    expect(reducerIssues).toEqual([])
    expect(issues).toEqual([])
  })
})
