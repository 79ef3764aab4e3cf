import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { createSessionStore, findBlock, type SessionStore } from '../../src/index.ts'
import { delta, text, upsert } from '../reducer/example.ts'
import { log } from '../reducer/logs.ts'
import { change, storeAfter } from './manual-store.ts'

describe('a selector’s listener', () => {
  it('is called when what is selected has become another value, with both', () => {
    const store = storeAfter(upsert(text('a')), upsert(text('b')))
    const listener = vi.fn()
    store.subscribeTo((state) => state.blocks[0], listener)
    const [before] = store.getState().blocks
    store.dispatch(delta('b', 'x'))
    store.flush()
    expect(listener).not.toHaveBeenCalled()
    change(store)
    expect(listener.mock.calls).toEqual([[store.getState().blocks[0], before]])
    expect(listener.mock.calls[0]?.[1]).toBe(before)
  })

  it('is called by reference: for each part of the state exactly when that part was replaced', () => {
    fc.assert(
      fc.property(fc.array(log, { maxLength: 8 }), (frames) => {
        const store = createSessionStore({ schedule: 'manual' })
        for (const part of ['blocks', 'usage', 'subagents', 'session'] as const)
          store.subscribeTo(
            (state) => state[part],
            (selected, before) => told.push([part, selected, before]),
          )
        let told: unknown[] = []
        for (const frame of frames) {
          const before = store.getState()
          told = []
          store.dispatchAll(frame)
          const after = store.flush()
          const parts = (['blocks', 'usage', 'subagents', 'session'] as const).filter(
            (part) => after[part] !== before[part],
          )
          expect(told).toEqual(parts.map((part) => [part, after[part], before[part]]))
        }
      }),
    )
  })

  it('takes what is no number for the same each time', () => {
    const store = storeAfter(upsert(text('a')))
    const listener = vi.fn()
    store.subscribeTo(() => NaN, listener)
    change(store)
    expect(listener).not.toHaveBeenCalled()
  })

  it('begins with what is selected when it subscribes, and ends', () => {
    const store = storeAfter(upsert(text('a')))
    change(store)
    const listener = vi.fn()
    const end = store.subscribeTo(contentOfA, listener)
    change(store)
    end()
    change(store)
    expect(listener.mock.calls).toEqual([['xx', 'x']])
  })

  it('hears of a value once, though another listener brings the next one at once', () => {
    const store = storeAfter(upsert(text('a')))
    const end = store.subscribe(() => {
      end()
      change(store)
    })
    const listener = vi.fn()
    store.subscribeTo(contentOfA, listener)
    change(store)
    expect(listener.mock.calls).toEqual([['xx', '']])
  })

  it('is told of the change still, if the selector threw in between', () => {
    const store = storeAfter(upsert(text('a')))
    const listener = vi.fn()
    let isBroken = false
    store.subscribeTo((state) => {
      if (isBroken) throw new Error('mine')
      return contentOfA(state)
    }, listener)
    isBroken = true
    expect(() => change(store)).toThrow('mine')
    isBroken = false
    change(store)
    expect(listener.mock.calls).toEqual([['xx', '']])
  })
})

function contentOfA(state: ReturnType<SessionStore['getState']>): unknown {
  const block = findBlock(state, 'main', 'a')
  return block?.type === 'assistant_text' ? block.content : undefined
}
