import type { FunctionComponent, ReactNode } from 'react'
import {
  createInitialConversationState,
  createSessionStore,
  reduceSessionEvents,
  type SessionEvent,
  type SessionStore,
} from '../../../src/entries/index.ts'
import { spawn, text, upsert } from '../../core/reducer/example.ts'
import { type Page, pageWith } from './page.ts'
import { type Library, withReact } from './react-versions.ts'

export const pending = (id: string, conversationId = 'main'): SessionEvent =>
  upsert(text(id, { status: 'pending', content: '' }), conversationId)

export const START: readonly SessionEvent[] = [pending('a'), pending('b'), spawn('S'), pending('c', 'S')]

export function storeOf(...events: readonly SessionEvent[]): SessionStore {
  const state = reduceSessionEvents(createInitialConversationState(), events)
  return createSessionStore({ state, schedule: 'manual' })
}

/** A page that shows the blocks of a session. */
export interface SessionPage extends Library {
  readonly page: Page
  readonly inSession: (store: SessionStore, ...nodes: readonly ReactNode[]) => ReactNode
  readonly Block: FunctionComponent<{ readonly of: string; readonly id: string }>
  readonly Blocks: FunctionComponent<{ readonly of: string }>
  /** The rendered components in order, since the last `takeRendered`. */
  readonly rendered: string[]
  readonly takeRendered: () => readonly string[]
  readonly dispatch: (store: SessionStore, ...events: readonly SessionEvent[]) => Promise<void>
}

/** Returns a page for the tests of a file, with that version of React, and the components that it shows. */
export function sessionPage(version: 18 | 19): SessionPage {
  const library = withReact(version)
  const { React, hooks } = library
  const { createElement: h } = React
  const page = pageWith(library)
  const inSession = (store: SessionStore, ...nodes: readonly ReactNode[]) =>
    h(hooks.SessionProvider, { store }, ...nodes)

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

  return { ...library, page, inSession, Block, Blocks, rendered, takeRendered, dispatch }
}
