import { expect, it } from 'vitest'
import { pendingRequests } from '../../../src/entries/index.ts'
import { ofType } from '../recordings.ts'
import { ask, beginTurn, endTurn, item, note, readLines, turnOf } from './made-lines.ts'

const requestsAfter = (...messages: readonly unknown[]) =>
  ofType(readLines(...beginTurn, ...messages, endTurn()).state, 'request')

it.each([
  ['accept', undefined],
  ['decline', true],
  ['cancel', true],
])('a server of tools asks the person, who answers %s', (action, denied) => {
  const requestedSchema = { type: 'object', properties: {} }
  const asked = ask('mcpServer/elicitation/request', {
    serverName: 'files',
    mode: 'form',
    message: 'Delete all?',
    requestedSchema,
  })
  expect(pendingRequests(readLines(...beginTurn, asked).state)).toEqual([])
  expect(requestsAfter(asked, { id: 0, result: { action, content: null } })).toMatchObject([
    {
      title: 'files: Delete all?',
      options: [{ id: 'accept' }, { id: 'decline' }, { id: 'cancel' }],
      data: { id: 0, params: { mode: 'form', requestedSchema } },
      answer: action,
    },
  ])
  expect(requestsAfter(asked, { id: 0, result: { action } })[0]?.denied).toBe(denied)
})

it('a server of tools may ask the person to open a page', () => {
  const asked = ask('mcpServer/elicitation/request', { mode: 'url', url: 'https://example.com' })
  expect(requestsAfter(asked)).toMatchObject([
    { title: 'mcp', data: { params: { url: 'https://example.com' } } },
  ])
})

it.each([0, '0'])('has what its response needs: the id %j, the method and the params', (id) => {
  const similar = { acceptWithExecpolicyAmendment: { execpolicy_amendment: ['touch', 'a.txt'] } }
  const asked = ask(
    'item/commandExecution/requestApproval',
    { itemId: 'c', command: 'touch a.txt', availableDecisions: ['accept', similar, 'cancel'] },
    id,
  )
  expect(requestsAfter(asked)[0]?.data).toEqual(asked)
})

it.each([
  ['execCommandApproval', { command: ['bash', '-lc', 'ls'] }, 'command_execution: ls'],
  ['applyPatchApproval', { fileChanges: {} }, 'file_change'],
])('%s of earlier versions has decisions of its own', (method, fields, title) => {
  const asked = { id: 0, method, params: { conversationId: 't', callId: 'c', ...fields } }
  const [request] = requestsAfter(asked, { id: 0, result: { decision: 'denied' } })
  expect(request).toMatchObject({ title, toolUseId: 'c', answer: 'denied', denied: true })
  expect(request?.options?.map(({ id }) => id).join(' ')).toBe('approved approved_for_session denied abort')
})

it.each([
  [{ permissions: { network: { enabled: true } }, scope: 'turn' }, 'accept'],
  [{ permissions: { network: { enabled: true } }, scope: 'session' }, 'acceptForSession'],
  [{ permissions: {}, scope: 'turn' }, 'decline'],
  [{ permissions: { network: null } }, 'decline'],
])('the grant %j is an answer', (result, answer) => {
  const asked = ask('item/permissions/requestApproval', { itemId: 'c', permissions: {} })
  expect(requestsAfter(asked, { id: 0, result })).toMatchObject([{ answer }])
})

it('a request that nobody answers ends with its turn, and an error is no answer', () => {
  const asked = ask('item/commandExecution/requestApproval', { itemId: 'c', command: 'ls' })
  expect(requestsAfter(asked, { id: 0, error: { code: -1, message: 'closed' } })).toMatchObject([
    { status: 'complete' },
  ])
  expect(requestsAfter(asked, note('serverRequest/resolved', {}))[0]?.answer).toBeUndefined()
})

it('a request of a connection that begins again has the same number, and is another one', () => {
  const asked = (itemId: string) => ask('item/fileChange/requestApproval', { itemId })
  const requests = requestsAfter(
    asked('a'),
    { id: 0, result: { decision: 'accept' } },
    asked('a'),
    asked('b'),
    { id: 0, result: { decision: 'cancel' } },
  )
  expect(requests.map(({ toolUseId, answer }) => [toolUseId, answer])).toEqual([
    ['a', 'accept'],
    ['b', 'cancel'],
  ])
})

it('a request of an agent whose call comes later ends with the agent’s turn', () => {
  const link = item({ type: 'subAgentActivity', id: 'call', kind: 'started', agentThreadId: 'x' })
  const { state } = readLines(
    ...beginTurn,
    turnOf('x', 'u', 'turn'),
    ask('item/commandExecution/requestApproval', { threadId: 'x', turnId: 'u', itemId: 'c' }),
    link,
    note('turn/completed', { threadId: 'x', turn: { id: 'u', status: 'interrupted' } }),
  )
  expect(pendingRequests(state)).toEqual([])
  expect(state.subagents).toMatchObject([{ toolUseId: 'call', status: 'error' }])
})
