import type { FunctionComponent } from 'react'
import { describe, expect, it } from 'vitest'
import {
  createInitialConversationState,
  createSessionStore,
  reduceSessionEvent,
  type SessionConversationState,
  type SessionEvent,
  type SessionStore,
} from '../../../src/entries/index.ts'
import { restore, snapshot } from '../../../src/entries/sync.ts'
import { delta } from '../../core/reducer/example.ts'
import { pending, START, sessionPage, storeOf } from './session-page.ts'

describe.each([18, 19] as const)('with React %i', (version) => {
  const { React, server, hooks, page, inSession, Block, Blocks, takeRendered, dispatch } =
    sessionPage(version)
  const { createElement: h, StrictMode } = React

  it('works in StrictMode, which renders and subscribes twice', async () => {
    const store = storeOf(...START)
    await page.show(h(StrictMode, null, inSession(store, h(Blocks, { of: 'main' }))))
    await dispatch(store, delta('a', 'once'))
    expect(page.text()).toBe('a:once;b:;subagent:S?;')
  })

  it('shows a new store, and ends its subscription to the old one', async () => {
    const [first, second] = [storeOf(...START), storeOf(pending('z'))]
    await page.show(inSession(first, h(Blocks, { of: 'main' })))
    await page.show(inSession(second, h(Blocks, { of: 'main' })))
    expect(page.text()).toBe('z:;')
    await dispatch(first, delta('a', 'x'))
    expect(takeRendered()).toEqual([])
    await dispatch(second, delta('z', 'x'))
    expect(page.text()).toBe('z:x;')
  })

  it('ends its subscriptions when it is unmounted', async () => {
    let listeners = 0
    const store = storeOf(...START)
    const countingStore: SessionStore = {
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
    await page.show(inSession(countingStore, h(Blocks, { of: 'main' })))
    // One subscription for the list, and one for all blocks.
    expect(listeners).toBe(2)
    await page.leave()
    expect(listeners).toBe(0)
  })

  it('hydrates the HTML of a server, although more events arrived since', async () => {
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

  it('renders the current state of the store on a server', () => {
    const store = storeOf(...START)
    store.dispatch(delta('a', 'late'))
    store.flush()
    expect(server.renderToString(inSession(store, h(Block, { of: 'main', id: 'a' })))).toContain('a:late')
  })

  it('throws a clear error without a provider', () => {
    expect(() => server.renderToString(h(Block, { of: 'main', id: 'a' }))).toThrow('put a <SessionProvider')
  })

  it('is optional: the reducer works with useReducer', async () => {
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
