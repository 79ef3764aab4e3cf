import { describe, expect, it } from 'vitest'
import type { SessionConversationState } from '../../../src/entries/index.ts'
import { fold } from './fold.ts'

const run = { type: 'RUN_STARTED', threadId: 't', runId: 'r' }
const said = (id: string, fields: object = {}) => ({ id, role: 'assistant', content: id, ...fields })
const ofAgent = { subagentRunId: 'a' }
const startAgent = { type: 'SUBAGENT_STARTED', name: 'helper', ...ofAgent }
const text = (messageId: string, fields: object = {}) => [
  { type: 'TEXT_MESSAGE_START', messageId, role: 'assistant', ...fields },
  { type: 'TEXT_MESSAGE_CONTENT', messageId, delta: messageId },
  { type: 'TEXT_MESSAGE_END', messageId },
]
const snapshot = (messages: readonly object[], fields: object = {}) => ({
  type: 'MESSAGES_SNAPSHOT',
  messages,
  ...fields,
})

const idsOf = ({ blocks }: Pick<SessionConversationState, 'blocks'>) => blocks.map(({ id }) => id)
const agentIds = ({ subagents }: SessionConversationState) => subagents.map(idsOf)

describe('a snapshot', () => {
  it('removes the messages of main that it leaves out, also if it has none of main', () => {
    expect(idsOf(fold([run, ...text('m'), snapshot([])]))).toEqual([])
    const events = [run, ...text('m'), startAgent, snapshot([said('n', ofAgent)])]
    expect(idsOf(fold(events))).toEqual(['subagent:a'])
  })

  it('leaves the conversation of an agent that it does not name, unless it owns all', () => {
    const before = [run, startAgent, ...text('n', ofAgent)]
    expect(agentIds(fold([...before, snapshot([said('m')])]))).toEqual([['n']])
    const owner = { metadata: { '@ag-ui/client': { authoritativeActivityTypes: null } } }
    expect(agentIds(fold([...before, snapshot([said('m')], owner)]))).toEqual([[]])
  })

  it('moves the block of an agent with the message behind it', () => {
    const before = [run, ...text('m1'), startAgent, ...text('m2'), ...text('m3')]
    const after = snapshot([said('m1'), said('m3'), said('m2')])
    expect(idsOf(fold([...before, after]))).toEqual(['m1', 'm3', 'subagent:a', 'm2'])
  })
})

it('the end of a failed agent changes only its pending blocks, also when a snapshot moves them', () => {
  const thought = ['REASONING_MESSAGE_START', 'REASONING_MESSAGE_CONTENT', 'REASONING_MESSAGE_END'].map(
    (type) => ({ type, messageId: 'k', role: 'reasoning', delta: 'Hm.', ...ofAgent }),
  )
  const call = { type: 'TOOL_CALL_START', toolCallId: 'c', toolCallName: 'Read', ...ofAgent }
  const failed = { type: 'SUBAGENT_ERROR', message: 'Broken.', ...ofAgent }
  const events = [run, startAgent, ...text('n1', ofAgent), ...thought, ...text('n2', ofAgent), call, failed]
  const statusesOf = (list: readonly object[]) =>
    fold(list).subagents[0]?.blocks.map(({ id, status }) => [id, status])
  expect(statusesOf(events)).toEqual([
    ['n1', 'complete'],
    ['k', 'complete'],
    ['n2', 'complete'],
    ['c', 'error'],
  ])
  const moved = snapshot([said('n2', ofAgent), said('n1', ofAgent)])
  expect(statusesOf([...events, moved])?.find(([id]) => id === 'k')).toEqual(['k', 'complete'])
})

it('a chunk without an id goes on with the last open message of its conversation after a resume', () => {
  const open = (messageId: string) => ({ type: 'TEXT_MESSAGE_START', messageId, role: 'assistant' })
  const before = fold([run, open('m1'), open('m2')])
  const chunk = { type: 'TEXT_MESSAGE_CHUNK', delta: 'Hi.' }
  expect(fold([chunk], before).blocks).toMatchObject([{ content: '' }, { content: 'Hi.' }])
})

it('a request beside a text with the same id is answered', () => {
  const interrupt = { type: 'interrupt', interrupts: [{ id: 'm', reason: 'confirmation' }] }
  const { blocks } = fold([
    run,
    ...text('m'),
    { type: 'RUN_FINISHED', threadId: 't', runId: 'r', outcome: interrupt },
    { ...run, runId: 'r2', input: { resume: [{ interruptId: 'm', status: 'resolved', payload: 'yes' }] } },
  ])
  expect(blocks).toMatchObject([
    { id: 'm', type: 'assistant_text' },
    { id: 'm:activity', type: 'request', status: 'complete', answer: 'yes' },
  ])
})
