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

describe('an unusual input', () => {
  it('reports the type of an unknown wrapped event', () => {
    const { issues } = replay(`${toLines(withEventIds(prompt))}{"payload":{"type":"tea.break"}}`)
    expect(issues).toMatchObject([{ messageType: 'tea.break' }])
  })
  it('is refused if it is an empty list', () => expect(() => replay('[]')).toThrow())
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
