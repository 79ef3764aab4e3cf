import type { FunctionComponent } from 'react'
import { describe, expect, it } from 'vitest'
import type { AgentNode, SessionStore } from '../../../src/entries/index.ts'
import { complete, delta, remove, spawn, usage } from '../../core/reducer/example.ts'
import { pending, START, sessionPage, storeOf } from './session-page.ts'

describe.each([18, 19] as const)('with React %i', (version) => {
  const { React, hooks, page, inSession, Block, Blocks, rendered, takeRendered, dispatch } =
    sessionPage(version)
  const { createElement: h } = React

  it('useBlock renders only the block of a delta', async () => {
    const store = storeOf(...START)
    await page.show(inSession(store, h(Blocks, { of: 'main' }), h(Blocks, { of: 'S' })))
    await dispatch(store, delta('b', 'one'))
    expect(takeRendered()).toEqual(['b'])
    await dispatch(store, delta('c', 'two', 'S'))
    expect(takeRendered()).toEqual(['c'])
    expect(page.text()).toBe('a:;b:one;subagent:S?;c:two;')
  })

  it('shows blocks that appear, disappear and move', async () => {
    const store = storeOf(...START)
    await page.show(inSession(store, h(Blocks, { of: 'main' })))
    await dispatch(store, remove('a'), pending('d'), delta('b', 'x'))
    expect(page.text()).toBe('b:x;subagent:S?;d:;')
    await dispatch(store, remove('subagent:S'), delta('d', 'y'))
    expect(page.text()).toBe('b:x;d:y;')
  })

  it('renders only the changed blocks of a long list', async () => {
    const ids = Array.from({ length: 60 }, (_, at) => `n${at}`)
    const store = storeOf(...ids.map((id) => pending(id)))
    await page.show(inSession(store, h(Blocks, { of: 'main' })))
    await dispatch(store, remove('n3'), delta('n5', 'five'), delta('n59', 'last'))
    expect(takeRendered()).toEqual(['list of main', 'n5', 'n59'])
    expect(page.text()).toContain('n2:;n4:;n5:five;')
  })

  it('useBlock shows a missing block when it appears', async () => {
    const store = storeOf()
    await page.show(inSession(store, h(Block, { of: 'S', id: 'c' })))
    expect(page.text()).toBe('c?;')
    await dispatch(store, ...START)
    expect(page.text()).toBe('c:;')
  })

  it('useSubagent finds a subagent by its call, else by its own id', async () => {
    const Status: FunctionComponent<{ readonly of: string }> = ({ of }) =>
      h('p', null, `${of} ${hooks.useSubagent(of)?.toolUseId ?? 'none'};`)
    const agents = [spawn('S', { agentId: 'X' }), spawn('X'), spawn('U', { agentId: 'agent-u' })]
    const nodes = ['S', 'X', 'agent-u', 'U', 'V'].map((of) => h(Status, { key: of, of }))
    await page.show(inSession(storeOf(...agents), ...nodes))
    expect(page.text()).toBe('S S;X X;agent-u U;U U;V none;')
  })

  it('useSessionStatus renders when the status changes, not with a delta', async () => {
    const Status: FunctionComponent = () => {
      rendered.push('status')
      return h('p', null, hooks.useSessionStatus())
    }
    const store = storeOf(...START)
    await page.show(inSession(store, h(Status)))
    expect(page.text()).toBe('running')
    await dispatch(store, delta('a', 'x'), delta('c', 'y', 'S'))
    expect(takeRendered()).toEqual([])
    await dispatch(store, { type: 'session:idle', outcome: 'finished' })
    expect(page.text()).toBe('background')
    await dispatch(store, complete('S'))
    expect(page.text()).toBe('finished')
  })

  it('useConversation of main ignores deltas of subagents', async () => {
    const Main: FunctionComponent = () => {
      rendered.push('main')
      return h('p', null, hooks.useConversation('main')?.blocks.length)
    }
    const Sub: FunctionComponent = () => {
      rendered.push('sub')
      return h('p', null, hooks.useConversation('S')?.blocks.length, hooks.useSubagent('S')?.status)
    }
    const store = storeOf(...START)
    await page.show(inSession(store, h(Main), h(Sub)))
    await dispatch(store, delta('c', 'x', 'S'), usage('m', 1, { conversationId: 'S' }))
    expect(takeRendered()).toEqual(['sub'])
    await dispatch(store, delta('a', 'x'))
    expect(takeRendered()).toEqual(['main'])
    await dispatch(store, complete('S'))
    expect(page.text()).toBe('31success')
  })

  it('useSession renders when the selected value changed', async () => {
    const Count: FunctionComponent = () => {
      // The selector is a new function and makes a new list each time. Neither may cause another render.
      const ids = hooks.useSession(
        (state) => state.blocks.map(({ id }) => id),
        (left, right) => left.join() === right.join(),
      )
      const fresh = hooks.useSession((state) => ({ blocks: state.blocks.length }))
      rendered.push('count')
      return h('p', null, ids.join(), fresh.blocks)
    }
    const store = storeOf(...START)
    await page.show(inSession(store, h(Count)))
    expect(page.text()).toBe('a,b,subagent:S3')
    await dispatch(store, pending('d'))
    expect(page.text()).toBe('a,b,subagent:S,d4')
    await page.show(inSession(store, h(Count)))
    expect(page.text()).toBe('a,b,subagent:S,d4')
  })

  it('useAgentTree with a selector ignores deltas', async () => {
    const names: unknown[] = []
    const statuses = (tree: AgentNode) => tree.children.map(({ status }) => status)
    const Tree: FunctionComponent = () => {
      names.push(hooks.useAgentTree(statuses))
      rendered.push('tree')
      return h('p', null, hooks.useAgentTree().lastText)
    }
    const Statuses: FunctionComponent = () => {
      rendered.push('statuses')
      return h('p', null, hooks.useAgentTree(statuses).join())
    }
    const store = storeOf(...START)
    await page.show(inSession(store, h(Tree), h(Statuses)))
    await dispatch(store, delta('b', 'hello'))
    expect(takeRendered()).toEqual(['tree'])
    expect(names.at(-1)).toBe(names[0])
    expect(page.text()).toBe('hellorunning')
    await dispatch(store, complete('S'))
    expect(page.text()).toBe('hellosuccess')
  })

  it('useSessionStore returns the store', async () => {
    let found: SessionStore | undefined
    const Button: FunctionComponent = () => {
      found = hooks.useSessionStore()
      return null
    }
    const store = storeOf()
    await page.show(inSession(store, h(Button)))
    expect(found).toBe(store)
  })

  it('useBlock does not render a block that only moved', async () => {
    const store = storeOf(...START)
    await page.show(inSession(store, h(Block, { of: 'main', id: 'a' }), h(Block, { of: 'main', id: 'b' })))
    await dispatch(store, remove('a'))
    expect(takeRendered()).toEqual(['a'])
    await dispatch(store, delta('b', 'x'))
    expect(page.text()).toBe('a?;b:x;')
  })
})
