import { describe, expect, it } from 'vitest'
import { findSubagent } from '../../../../src/index.ts'
import { notesOf } from '../../recordings.ts'
import { answer, child, main, prompt, readEvents, readOpenEvents, running, taskTarget } from '../messages.ts'

const permission = main.event('permission.asked', {
  id: 'per_1',
  permission: 'bash',
  patterns: ['rm *', 'rm -r *'],
  metadata: { command: 'rm a' },
  always: [],
})
const allowed = main.event('permission.replied', { requestID: 'per_1', reply: 'once' })

describe('a permission request', () => {
  it('is pending until the user replies', () => {
    expect(notesOf(readOpenEvents(...prompt, permission).state, 'permission')).toMatchObject([
      {
        id: 'per_1',
        status: 'pending',
        message: 'bash rm * rm -r *',
        data: { permission: 'bash', metadata: { command: 'rm a' } },
      },
    ])
  })

  it('keeps its own data beside the reply', () => {
    expect(notesOf(readEvents(...prompt, permission, allowed).state, 'permission')).toMatchObject([
      {
        id: 'per_1',
        status: 'complete',
        message: 'bash rm * rm -r *',
        data: { permission: 'bash', metadata: { command: 'rm a' }, reply: 'once' },
      },
    ])
  })

  it('is shown once, even if the client reconnects', () => {
    const { state } = readEvents(...prompt, permission, permission)
    expect(notesOf(state, 'permission')).toHaveLength(1)
    const later = readEvents(...prompt, permission, permission, allowed, permission)
    expect(notesOf(later.state, 'permission')).toMatchObject([{ status: 'complete' }])
  })

  it('shows a reply even if the request was missed', () => {
    expect(notesOf(readEvents(...prompt, allowed).state, 'permission')).toMatchObject([
      { id: 'per_1', status: 'complete', data: { reply: 'once' } },
    ])
  })

  it('is read under the other field names of earlier versions', () => {
    const { state, issues } = readEvents(
      ...prompt,
      main.event('permission.updated', { id: 'per_2', type: 'bash', title: 'rm a', metadata: {} }),
      main.event('permission.replied', { permissionID: 'per_2', response: 'always' }),
    )
    expect(notesOf(state, 'permission')).toMatchObject([
      { id: 'per_2', status: 'complete', message: 'rm a', data: { response: 'always' } },
    ])
    expect(issues).toEqual([])
  })

  it('belongs to the conversation of the subagent that makes it', () => {
    const needed = child.event('permission.asked', { id: 'per_3', permission: 'edit' })
    const { state } = readEvents(
      ...prompt,
      child.created(),
      needed,
      main.task('msg_10', 'call-1', running(taskTarget(child.id))),
      child.event('permission.replied', { requestID: 'per_3', reply: 'reject' }),
    )
    expect(notesOf(state, 'permission')).toEqual([])
    expect(findSubagent(state, 'call-1')?.blocks).toMatchObject([
      { id: 'per_3', status: 'complete', conversationId: 'call-1', data: { reply: 'reject' } },
    ])
  })

  it('is complete when the turn ends without a reply', () => {
    const { state } = readEvents(...prompt, permission, ...answer)
    expect(notesOf(state, 'permission')).toMatchObject([{ status: 'complete' }])
  })
})

describe('a question', () => {
  const request = main.event('question.asked', {
    id: 'que_1',
    questions: [{ question: 'Which one?', options: [] }, { question: 'Why?' }, null, { question: 7 }],
  })

  it('is pending until the user answers, and keeps the answers', () => {
    expect(notesOf(readOpenEvents(...prompt, request).state, 'question')).toMatchObject([
      { id: 'que_1', status: 'pending', message: 'Which one?\nWhy?' },
    ])
    const answered = main.event('question.replied', { requestID: 'que_1', answers: [['A'], ['B']] })
    expect(notesOf(readEvents(...prompt, request, answered).state, 'question')).toMatchObject([
      { status: 'complete', message: 'Which one?\nWhy?', data: { answers: [['A'], ['B']] } },
    ])
  })

  it('is complete when the user rejects it', () => {
    const rejected = main.event('question.rejected', { requestID: 'que_1' })
    expect(notesOf(readEvents(...prompt, request, rejected).state, 'question')).toMatchObject([
      { status: 'complete', message: 'Which one?\nWhy?' },
    ])
  })
})
