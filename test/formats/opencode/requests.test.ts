import { describe, expect, it } from 'vitest'
import { findSubagent } from '../../../src/index.ts'
import { notesOf } from '../recordings.ts'
import { answer, asked, child, main, question, read, running } from './messages.ts'

const permission = main.event('permission.asked', {
  id: 'per_1',
  permission: 'bash',
  patterns: ['rm *', 'rm -r *'],
  metadata: { command: 'rm a' },
  always: [],
})
const allowed = main.event('permission.replied', { requestID: 'per_1', reply: 'once' })

describe('a permission', () => {
  it('is pending until the person has answered', () => {
    expect(notesOf(read(...question, permission).state, 'permission')).toMatchObject([
      {
        id: 'per_1',
        status: 'pending',
        message: 'bash rm * rm -r *',
        data: { permission: 'bash', metadata: { command: 'rm a' } },
      },
    ])
  })

  it('keeps what was asked beside the answer', () => {
    expect(notesOf(read(...question, permission, allowed).state, 'permission')).toMatchObject([
      {
        id: 'per_1',
        status: 'complete',
        message: 'bash rm * rm -r *',
        data: { permission: 'bash', metadata: { command: 'rm a' }, reply: 'once' },
      },
    ])
  })

  it('is asked once, also where the client reconnects', () => {
    const { state } = read(...question, permission, permission)
    expect(notesOf(state, 'permission')).toHaveLength(1)
    const later = read(...question, permission, permission, allowed, permission)
    expect(notesOf(later.state, 'permission')).toMatchObject([{ status: 'complete' }])
  })

  it('has an answer though its question was missed', () => {
    expect(notesOf(read(...question, allowed).state, 'permission')).toMatchObject([
      { id: 'per_1', status: 'complete', data: { reply: 'once' } },
    ])
  })

  it('is told by other names in earlier versions', () => {
    const { state, issues } = read(
      ...question,
      main.event('permission.updated', { id: 'per_2', type: 'bash', title: 'rm a', metadata: {} }),
      main.event('permission.replied', { permissionID: 'per_2', response: 'always' }),
    )
    expect(notesOf(state, 'permission')).toMatchObject([
      { id: 'per_2', status: 'complete', message: 'rm a', data: { response: 'always' } },
    ])
    expect(issues).toEqual([])
  })

  it('stands in the conversation of the subagent that needs it', () => {
    const needed = child.event('permission.asked', { id: 'per_3', permission: 'edit' })
    const { state } = read(
      ...question,
      child.created(),
      needed,
      main.task('msg_10', 'call-1', running(asked(child.id))),
      child.event('permission.replied', { requestID: 'per_3', reply: 'reject' }),
    )
    expect(notesOf(state, 'permission')).toEqual([])
    expect(findSubagent(state, 'call-1')?.blocks).toMatchObject([
      { id: 'per_3', status: 'complete', conversationId: 'call-1', data: { reply: 'reject' } },
    ])
  })

  it('that nobody answered is over with the turn', () => {
    const { state } = read(...question, permission, ...answer)
    expect(notesOf(state, 'permission')).toMatchObject([{ status: 'complete' }])
  })
})

describe('a question', () => {
  const asking = main.event('question.asked', {
    id: 'que_1',
    questions: [{ question: 'Which one?', options: [] }, { question: 'Why?' }, null, { question: 7 }],
  })

  it('is pending until it is answered, and keeps the answers', () => {
    expect(notesOf(read(...question, asking).state, 'question')).toMatchObject([
      { id: 'que_1', status: 'pending', message: 'Which one?\nWhy?' },
    ])
    const answered = main.event('question.replied', { requestID: 'que_1', answers: [['A'], ['B']] })
    expect(notesOf(read(...question, asking, answered).state, 'question')).toMatchObject([
      { status: 'complete', message: 'Which one?\nWhy?', data: { answers: [['A'], ['B']] } },
    ])
  })

  it('is over when the person will not answer', () => {
    const rejected = main.event('question.rejected', { requestID: 'que_1' })
    expect(notesOf(read(...question, asking, rejected).state, 'question')).toMatchObject([
      { status: 'complete', message: 'Which one?\nWhy?' },
    ])
  })
})
