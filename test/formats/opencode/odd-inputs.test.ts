import { describe, expect, it } from 'vitest'
import { findSubagent } from '../../../src/index.ts'
import { notesOf, ofType } from '../recordings.ts'
import {
  answer,
  asked,
  child,
  completed,
  delegation,
  framed,
  main,
  numbered,
  question,
  read,
  running,
  Session,
  toText,
  work,
} from './messages.ts'
import { replay } from './recordings.ts'
import { readBoth } from './stored.ts'

describe('what an input may hold', () => {
  it('is read where an event is wrapped 20,000 times', () => {
    const deep = `${'{"payload":'.repeat(20_000)}1${'}'.repeat(20_000)}`
    const codes = replay(`${toText(numbered(question))}${deep}`).issues.map(({ code }) => code)
    expect(codes).toEqual(['too-deep', 'unknown-message'])
  })
  it('is named where a wrapped event is not known', () => {
    const { issues } = replay(`${toText(numbered(question))}{"payload":{"type":"tea.break"}}`)
    expect(issues).toMatchObject([{ messageType: 'tea.break' }])
  })
  it('keeps the cost that was known where none is told', () => {
    expect(read(main.created({ cost: 0.5 }), main.updated({ cost: undefined })).state.session.costUsd).toBe(
      0.5,
    )
  })
  it('is no transcript where it is an empty list', () => expect(() => replay('[]')).toThrow())
  it('names the model that answered last, live and stored', () => {
    readBoth(
      main.created({ model: { id: 'a' } }),
      main.completed('msg_2', { modelID: 'b' }),
      main.updated({ model: { id: 'a' } }),
    )
  })
  it('may be calls with the same id: the part’s id is used for the second', () => {
    const { state } = readBoth(
      ...question,
      main.begun('msg_2'),
      main.tool('msg_2', 'prt_1', completed('A'), { callID: 'call_0' }),
      main.completed('msg_2'),
      main.begun('msg_3'),
      main.tool('msg_3', 'prt_2', completed('B'), { callID: 'call_0' }),
      main.completed('msg_3'),
    )
    expect(ofType(state, 'tool_result').map(({ output }) => output)).toEqual(['A', 'B'])
    expect(ofType(state, 'tool_use').map(({ toolUseId }) => toolUseId)).toEqual(['call_0', 'prt_2'])
  })
  it('may tell only later that a call has a subagent go on', () => {
    const { state } = read(
      ...delegation,
      main.begun('msg_20'),
      main.task('msg_20', 'call-2', running({ input: {} })),
      main.task('msg_20', 'call-2', running(asked(child.id, { task_id: child.id }))),
    )
    expect(state.subagents).toHaveLength(1)
  })
  it('may name a task for which the program opened a new session', () => {
    const twin = new Session('ses_twin', main.id)
    const { state } = read(
      ...delegation,
      main.begun('msg_20'),
      main.task('msg_20', 'call-2', running({ input: { prompt: 'x', task_id: child.id } })),
      twin.created(),
      main.task('msg_20', 'call-2', running(asked(twin.id, { task_id: child.id }))),
      ...work(twin, 'T'),
      main.task('msg_20', 'call-2', completed(framed(twin.id, 'T'), asked(twin.id, { task_id: child.id }))),
    )
    expect(findSubagent(state, 'call-1')).toMatchObject({ status: 'success', runId: 'call-1' })
    expect(ofType(state, 'tool_use')).toEqual([])
  })
  it('may be exported messages that do not name their session', () => {
    const { state } = replay(
      JSON.stringify({
        info: { id: 's' },
        messages: [{ info: { id: 'm', role: 'user' }, parts: [{ id: 'p', type: 'text', text: 'Hi' }] }],
      }),
    )
    expect(state.subagents).toEqual([])
    expect(state.blocks).toMatchObject([{ content: 'Hi' }])
  })
  it('shows that a question was rejected', () => {
    const asking = main.event('question.asked', { id: 'que_1', questions: [] })
    const { state } = read(...question, asking, main.event('question.rejected', { requestID: 'que_1' }))
    const { state: replied } = read(
      ...question,
      asking,
      main.event('question.replied', { requestID: 'que_1' }),
    )
    expect(notesOf(state, 'question')).not.toEqual(notesOf(replied, 'question'))
  })
  it('may have a subagent go on that is still running', () => {
    const again = asked(child.id, { task_id: child.id })
    const { reducerIssues, issues } = read(
      ...question,
      main.begun('msg_10'),
      child.created(),
      main.task('msg_10', 'call-1', running(asked(child.id))),
      main.task('msg_10', 'call-1', completed(framed(child.id, 'Wait.', 'running'), asked(child.id))),
      main.task('msg_10', 'call-2', running(again)),
      main.task('msg_10', 'call-2', completed(framed(child.id, 'Two.'), again)),
      ...answer,
    )
    expect(reducerIssues).toEqual([])
    expect(issues).toEqual([])
  })
})
