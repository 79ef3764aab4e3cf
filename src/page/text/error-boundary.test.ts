import { JSDOM } from 'jsdom'
import { act, createElement, type ReactNode } from 'react'
import { createRoot } from 'react-dom/client'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { ErrorBoundary } from './error-boundary.tsx'

function Words({ text }: { readonly text: string }): ReactNode {
  if (text.includes('fails')) throw new RangeError(text)
  return `view of ${text}`
}

const bounded = (text: string): ReactNode =>
  createElement(ErrorBoundary, {
    value: text,
    fallback: () => `plain ${text}`,
    // biome-ignore lint/correctness/noChildrenProp: the component requires them
    children: createElement(Words, { text }),
  })

describe('an error boundary', () => {
  let shown: (...texts: readonly string[]) => Promise<string>
  let leave: () => Promise<void>
  const caught: unknown[] = []

  beforeEach(() => {
    const { window } = new JSDOM('<div></div>')
    for (const [name, value] of Object.entries({
      ...{ window, document: window.document },
      IS_REACT_ACT_ENVIRONMENT: true,
    }))
      vi.stubGlobal(name, value)
    const root = createRoot(window.document.body, { onCaughtError: (error) => caught.push(error) })
    shown = async (...texts) => {
      await act(async () =>
        root.render(texts.map((text, at) => createElement('p', { key: at }, bounded(text)))),
      )
      return window.document.body.textContent
    }
    leave = () => act(async () => root.unmount())
  })
  afterEach(async () => {
    await leave()
    vi.unstubAllGlobals()
  })

  it('shows its fallback, and leaves the parts around it as they are', async () => {
    expect(await shown('one,', 'fails,', 'three')).toBe('view of one,plain fails,view of three')
    expect(caught.splice(0)).toHaveLength(1)
  })

  it('tries the next value again', async () => {
    await shown('it fails')
    expect(await shown('it works')).toBe('view of it works')
    expect(caught.splice(0)).toHaveLength(1)
  })
})
