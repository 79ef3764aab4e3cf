import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { createSessionStore, findBlock, type SessionStore } from '../../../src/entries/index.ts'
import { delta, text, upsert } from '../reducer/example.ts'
import { log } from '../reducer/laws/logs.ts'
import { change, storeAfter } from './manual-store.ts'

describe('a selector’s listener', () => {
  it('is called with the new and the old value when the selected value changed', () => {
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

  it('is called exactly when the reference of the selected part changed', () => {
    fc.assert(
      fc.property(fc.array(log, { maxLength: 8 }), (frames) => {
        const store = createSessionStore({ schedule: 'manual' })
        for (const part of ['blocks', 'usage', 'subagents', 'session'] as const)
          store.subscribeTo(
            (state) => state[part],
            (selected, before) => notified.push([part, selected, before]),
          )
        let notified: unknown[] = []
        for (const frame of frames) {
          const before = store.getState()
          notified = []
          store.dispatchAll(frame)
          const after = store.flush()
          const parts = (['blocks', 'usage', 'subagents', 'session'] as const).filter(
            (part) => after[part] !== before[part],
          )
          expect(notified).toEqual(parts.map((part) => [part, after[part], before[part]]))
        }
      }),
    )
  })

  it('is not called for a repeated NaN', () => {
    const store = storeAfter(upsert(text('a')))
    const listener = vi.fn()
    store.subscribeTo(() => NaN, listener)
    change(store)
    expect(listener).not.toHaveBeenCalled()
  })

  it('starts with the value at its subscription, and ends', () => {
    const store = storeAfter(upsert(text('a')))
    change(store)
    const listener = vi.fn()
    const end = store.subscribeTo(contentOfA, listener)
    change(store)
    end()
    change(store)
    expect(listener.mock.calls).toEqual([['xx', 'x']])
  })

  it('is called once per value, also if another listener changes the state at once', () => {
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

  it('is still called for a change after the selector threw', () => {
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
