import type { FunctionComponent } from 'react'
import { describe, expect, it } from 'vitest'
import type { SessionEvent, Todo } from '../../../src/entries/index.ts'
import type { ToolCallState } from '../../../src/entries/react.ts'
import type { IncomingBlock } from '../../../src/entries/source-kit.ts'
import { delta, remove, spawn, toolUse, upsert } from '../../core/reducer/example.ts'
import { pending, START, sessionPage, storeOf } from './session-page.ts'

function request(
  id: string,
  fields: Partial<Extract<IncomingBlock, { type: 'request' }>> = {},
): IncomingBlock {
  return { type: 'request', id, kind: 'permission', title: 'Bash', status: 'pending', ...fields }
}

const todo = (text: string, status: Todo['status'] = 'pending'): Todo => ({ text, status })
const plan = (todos: readonly Todo[], conversationId = 'main'): SessionEvent => ({
  type: 'todos:updated',
  conversationId,
  todos,
})
const result = (toolUseId: string): SessionEvent =>
  upsert({
    id: `${toolUseId}:result`,
    type: 'tool_result',
    toolUseId,
    output: 'done',
    isError: false,
    status: 'complete',
  })

describe.each([18, 19] as const)('with React %i', (version) => {
  const { React, hooks, page, inSession, rendered, takeRendered, dispatch } = sessionPage(version)
  const { createElement: h } = React

  describe('useRequests', () => {
    const Requests: FunctionComponent = () => {
      rendered.push('requests')
      const requests = hooks.useRequests()
      return h(
        'p',
        null,
        requests.map(({ conversationId, block }) => `${conversationId} ${block.title};`),
      )
    }

    it('returns the open requests of all conversations', async () => {
      const store = storeOf(...START)
      await page.show(inSession(store, h(Requests)))
      await dispatch(store, upsert(request('r1'), 'S'), upsert(request('r2', { title: 'Edit' })))
      expect(page.text()).toBe('main Edit;S Bash;')
      await dispatch(store, upsert(request('r2', { status: 'complete', answer: 'allow' })))
      expect(page.text()).toBe('S Bash;')
      expect(takeRendered()).toEqual(['requests'])
    })

    it('renders with no delta, and with no other block', async () => {
      const store = storeOf(...START, upsert(request('r1')), upsert(request('r2'), 'S'))
      await page.show(inSession(store, h(Requests)))
      await dispatch(store, delta('a', 'x'), delta('c', 'y', 'S'), pending('d'), spawn('T'))
      expect(takeRendered()).toEqual([])
    })
  })

  describe('useTodos', () => {
    const lists: (readonly Todo[])[] = []
    const Todos: FunctionComponent<{ readonly of?: string }> = ({ of }) => {
      rendered.push(`todos of ${of}`)
      const todos = hooks.useTodos(of)
      lists.push(todos)
      return h(
        'p',
        null,
        todos.map(({ text, status }) => `${text} ${status};`),
      )
    }

    it('returns the plan of main or of a subagent', async () => {
      const agent = spawn('S', { agentId: 'agent-s' })
      const store = storeOf(
        agent,
        plan([todo('Plan', 'completed'), todo('Report')]),
        plan([todo('Look')], 'S'),
      )
      await page.show(inSession(store, h(Todos), h(Todos, { of: 'S' }), h(Todos, { of: 'agent-s' })))
      expect(page.text()).toBe('Plan completed;Report pending;Look pending;Look pending;')
    })

    it('renders when its own plan changes', async () => {
      const store = storeOf(...START, plan([todo('Report')]))
      await page.show(inSession(store, h(Todos), h(Todos, { of: 'S' }), h(Todos, { of: 'unknown' })))
      await dispatch(store, delta('a', 'x'), delta('c', 'y', 'S'), plan([todo('Report')]))
      expect(takeRendered()).toEqual([])
      await dispatch(store, plan([todo('Look')], 'S'))
      expect(takeRendered()).toEqual(['todos of S'])
    })

    it('returns the same empty list each time', async () => {
      lists.length = 0
      const store = storeOf(...START)
      await page.show(inSession(store, h(Todos)))
      await page.show(inSession(store, h(Todos, { of: 'unknown' })))
      expect(lists.length).toBeGreaterThan(1)
      expect(new Set(lists).size).toBe(1)
    })
  })

  describe('useToolCall', () => {
    const calls: (ToolCallState | undefined)[] = []
    const Call: FunctionComponent<{ readonly id: string; readonly of?: string }> = ({ id, of = 'main' }) => {
      rendered.push(id)
      const call = hooks.useToolCall(of, id)
      calls.push(call)
      const parts = call && [call.call.status, JSON.stringify(call.input), call.result?.id, call.request?.id]
      return h('p', null, parts ? `${parts.map(String).join(' ')};` : 'none;')
    }

    it('returns the call with its result and its open request', async () => {
      const store = storeOf(...START)
      await page.show(inSession(store, h(Call, { id: 't' })))
      expect(page.text()).toBe('none;')
      await dispatch(store, upsert(toolUse('t', { input: { path: 'a' } })))
      expect(page.text()).toBe('pending {"path":"a"} undefined undefined;')
      await dispatch(store, upsert(request('r', { toolUseId: 't' })))
      expect(page.text()).toBe('pending {"path":"a"} undefined r;')
      await dispatch(store, upsert(request('r', { toolUseId: 't', status: 'complete', answer: 'once' })))
      await dispatch(store, result('t'))
      expect(page.text()).toBe('pending {"path":"a"} t:result undefined;')
      await dispatch(store, remove('t'))
      expect(page.text()).toBe('none;')
    })

    it('finds the call of a subagent, whatever the id of its block', async () => {
      const store = storeOf(...START, upsert(toolUse('block', { toolUseId: 't' }), 'S'))
      await page.show(inSession(store, h(Call, { id: 't' }), h(Call, { id: 't', of: 'S' })))
      expect(page.text()).toBe('none;pending {} undefined undefined;')
    })

    it('has the input so far while it streams', async () => {
      const store = storeOf(upsert(toolUse('t', { input: {}, inputText: '' })))
      await page.show(inSession(store, h(Call, { id: 't' })))
      expect(page.text()).toBe('pending undefined undefined undefined;')
      await dispatch(store, delta('t', '{"path": "src/in'), delta('t', 'd'))
      expect(takeRendered()).toEqual(['t'])
      expect(page.text()).toBe('pending {"path":"src/ind"} undefined undefined;')
    })

    it('renders only when the call, its result or its request changes', async () => {
      const store = storeOf(...START, upsert(toolUse('t')), upsert(toolUse('u')))
      await page.show(inSession(store, h(Call, { id: 't' }), h(Call, { id: 'u' })))
      await dispatch(store, delta('b', 'x'), pending('d'), upsert(request('r')))
      expect(takeRendered()).toEqual([])
      await dispatch(store, result('t'))
      expect(takeRendered()).toEqual(['t'])
      await dispatch(store, upsert(request('r', { toolUseId: 'u' })))
      expect(takeRendered()).toEqual(['u'])
    })

    it('returns the same object if the component renders for another reason', async () => {
      const store = storeOf(upsert(toolUse('t')), result('t'))
      await page.show(inSession(store, h(Call, { id: 't' })))
      calls.length = 0
      await dispatch(store, pending('d'))
      await page.show(inSession(store, h(Call, { id: 't' })))
      await page.show(inSession(store, h(Call, { id: 't' })))
      expect(calls.length).toBe(2)
      expect(calls[0]).toBe(calls[1])
    })
  })
})
