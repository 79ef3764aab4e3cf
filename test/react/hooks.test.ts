import type { FunctionComponent } from 'react'
import { describe, expect, it } from 'vitest'
import {
  type AgentNode,
  createInitialConversationState,
  createSessionStore,
  reduceSessionEvent,
  reduceSessionEvents,
  restore,
  type SessionConversationState,
  type SessionEvent,
  type SessionStore,
  snapshot,
} from '../../src/index.ts'
import { complete, delta, remove, spawn, text, upsert, usage } from '../reducer/example.ts'
import { pageWith } from './page.ts'
import { withReact } from './react-versions.ts'

const pending = (id: string, conversationId = 'main'): SessionEvent =>
  upsert(text(id, { status: 'pending', content: '' }), conversationId)

const START = [pending('a'), pending('b'), spawn('S'), pending('c', 'S')]

function storeOf(...events: readonly SessionEvent[]): SessionStore {
  const state = reduceSessionEvents(createInitialConversationState(), events)
  return createSessionStore({ state, schedule: 'manual' })
}

describe.each([18, 19] as const)('with React %i', (version) => {
  const library = withReact(version)
  const { React, server, hooks } = library
  const { createElement: h, StrictMode } = React
  const page = pageWith(library)
  const inSession = (store: SessionStore, ...nodes: Parameters<typeof h>[2][]) =>
    h(hooks.SessionProvider, { store }, ...nodes)

  /** What was rendered, in its order, since somebody asked last. */
  const rendered: string[] = []
  const takeRendered = (): readonly string[] => rendered.splice(0)

  const Block: FunctionComponent<{ readonly of: string; readonly id: string }> = ({ of, id }) => {
    const block = hooks.useBlock(of, id)
    rendered.push(id)
    return h('p', null, block && 'content' in block ? `${id}:${String(block.content)};` : `${id}?;`)
  }
  const Blocks: FunctionComponent<{ readonly of: string }> = ({ of }) => {
    const ids = hooks.useBlockIds(of)
    rendered.push(`list of ${of}`)
    return ids.map((id) => h(Memo, { key: id, of, id }))
  }
  const Memo = React.memo(Block)

  async function dispatch(store: SessionStore, ...events: readonly SessionEvent[]): Promise<void> {
    takeRendered()
    await page.act(() => {
      store.dispatchAll(events)
      store.flush()
    })
  }

  it('renders the block of a delta and nothing else', async () => {
    const store = storeOf(...START)
    await page.show(inSession(store, h(Blocks, { of: 'main' }), h(Blocks, { of: 'S' })))
    await dispatch(store, delta('b', 'one'))
    expect(takeRendered()).toEqual(['b'])
    await dispatch(store, delta('c', 'two', 'S'))
    expect(takeRendered()).toEqual(['c'])
    expect(page.text()).toBe('a:;b:one;subagent:S?;c:two;')
  })

  it('shows what comes, goes and moves', async () => {
    const store = storeOf(...START)
    await page.show(inSession(store, h(Blocks, { of: 'main' })))
    await dispatch(store, remove('a'), pending('d'), delta('b', 'x'))
    expect(page.text()).toBe('b:x;subagent:S?;d:;')
    await dispatch(store, remove('subagent:S'), delta('d', 'y'))
    expect(page.text()).toBe('b:x;d:y;')
  })

  it('finds each of many blocks, wherever it stands', async () => {
    const ids = Array.from({ length: 60 }, (_, at) => `n${at}`)
    const store = storeOf(...ids.map((id) => pending(id)))
    await page.show(inSession(store, h(Blocks, { of: 'main' })))
    await dispatch(store, remove('n3'), delta('n5', 'five'), delta('n59', 'last'))
    expect(takeRendered()).toEqual(['list of main', 'n5', 'n59'])
    expect(page.text()).toContain('n2:;n4:;n5:five;')
  })

  it('shows a block that is not there yet once it comes', async () => {
    const store = storeOf()
    await page.show(inSession(store, h(Block, { of: 'S', id: 'c' })))
    expect(page.text()).toBe('c?;')
    await dispatch(store, ...START)
    expect(page.text()).toBe('c:;')
  })

  it('finds a subagent by its call, else by its own id, and none by another', async () => {
    const Status: FunctionComponent<{ readonly of: string }> = ({ of }) =>
      h('p', null, `${of} ${hooks.useSubagent(of)?.toolUseId ?? 'nobody'};`)
    const agents = [spawn('S', { agentId: 'X' }), spawn('X'), spawn('U', { agentId: 'agent-u' })]
    const nodes = ['S', 'X', 'agent-u', 'U', 'V'].map((of) => h(Status, { key: of, of }))
    await page.show(inSession(storeOf(...agents), ...nodes))
    expect(page.text()).toBe('S S;X X;agent-u U;U U;V nobody;')
  })

  it('leaves main alone when a subagent says something', async () => {
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

  it('renders what is selected when it becomes another value', async () => {
    const Count: FunctionComponent = () => {
      // A new list each time, and a new function: neither may render forever, nor without news.
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

  it('keeps the tree of agents as it is while they only write', async () => {
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

  it('hands out the store, to dispatch to', async () => {
    let found: SessionStore | undefined
    const Button: FunctionComponent = () => {
      found = hooks.useSessionStore()
      return null
    }
    const store = storeOf()
    await page.show(inSession(store, h(Button)))
    expect(found).toBe(store)
  })

  it('tells nobody of a block that has only moved up', async () => {
    const store = storeOf(...START)
    await page.show(inSession(store, h(Block, { of: 'main', id: 'a' }), h(Block, { of: 'main', id: 'b' })))
    await dispatch(store, remove('a'))
    expect(takeRendered()).toEqual(['a'])
    await dispatch(store, delta('b', 'x'))
    expect(page.text()).toBe('a?;b:x;')
  })

  it('is right in StrictMode, which renders and subscribes twice', async () => {
    const store = storeOf(...START)
    await page.show(h(StrictMode, null, inSession(store, h(Blocks, { of: 'main' }))))
    await dispatch(store, delta('a', 'once'))
    expect(page.text()).toBe('a:once;b:;subagent:S?;')
  })

  it('shows another store when it gets one, and listens to the first no more', async () => {
    const [first, second] = [storeOf(...START), storeOf(pending('z'))]
    await page.show(inSession(first, h(Blocks, { of: 'main' })))
    await page.show(inSession(second, h(Blocks, { of: 'main' })))
    expect(page.text()).toBe('z:;')
    await dispatch(first, delta('a', 'x'))
    expect(takeRendered()).toEqual([])
    await dispatch(second, delta('z', 'x'))
    expect(page.text()).toBe('z:x;')
  })

  it('listens no more when it has gone', async () => {
    let listeners = 0
    const store = storeOf(...START)
    const counted: SessionStore = {
      ...store,
      subscribe: (listener) => {
        listeners += 1
        const end = store.subscribe(listener)
        return () => {
          listeners -= 1
          end()
        }
      },
    }
    await page.show(inSession(counted, h(Blocks, { of: 'main' })))
    // One for the list, one for all blocks.
    expect(listeners).toBe(2)
    await page.leave()
    expect(listeners).toBe(0)
  })

  it('takes over what the server has rendered, though more has come since', async () => {
    const before = storeOf(...START, delta('a', 'from the server'))
    const html = server.renderToString(inSession(before, h(Blocks, { of: 'main' })))
    const sent = JSON.stringify(snapshot({ state: before.getState(), epoch: 'e', seq: 5 }))
    const { state } = restore(JSON.parse(sent))
    const store = createSessionStore({ state, schedule: 'manual' })
    store.dispatch(delta('a', ', and more'))
    store.flush()
    const node = h(hooks.SessionProvider, { store, serverState: state }, h(Blocks, { of: 'main' }))
    expect(await page.hydrate(html, node)).toEqual([])
    expect(page.text()).toBe('a:from the server, and more;b:;subagent:S?;')
  })

  it('renders on a server what its store holds by then', () => {
    const store = storeOf(...START)
    store.dispatch(delta('a', 'late'))
    store.flush()
    expect(server.renderToString(inSession(store, h(Block, { of: 'main', id: 'a' })))).toContain('a:late')
  })

  it('says what is missing where there is no session', () => {
    expect(() => server.renderToString(h(Block, { of: 'main', id: 'a' }))).toThrow('put a <SessionProvider')
  })

  it('is not needed: the reducer is one for useReducer', async () => {
    let send: (event: SessionEvent) => void = () => {}
    const Plain: FunctionComponent = () => {
      const [state, dispatchEvent] = React.useReducer(reduceSessionEvent, createInitialConversationState())
      send = dispatchEvent
      return h('p', null, texts(state))
    }
    await page.show(h(StrictMode, null, h(Plain)))
    await page.act(() => START.forEach(send))
    await page.act(() => send(delta('a', 'x')))
    expect(page.text()).toBe('x')
  })
})

function texts({ blocks }: SessionConversationState): string {
  return blocks.flatMap((block) => (block.type === 'assistant_text' ? block.content : [])).join('')
}
