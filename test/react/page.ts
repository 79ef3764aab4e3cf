import { JSDOM } from 'jsdom'
import type { ReactNode } from 'react'
import { afterEach, beforeEach, vi } from 'vitest'
import type { Library } from './react-versions.ts'

/** A page as far as it goes without a browser. */
export interface Page {
  readonly text: () => string
  /** Renders, or renders again. */
  readonly show: (node: ReactNode) => Promise<void>
  /** Takes over what a server has rendered; returns what was said to be wrong with it. */
  readonly hydrate: (html: string, node: ReactNode) => Promise<readonly string[]>
  readonly leave: () => Promise<void>
  /** Does what changes something, and waits until it is shown. */
  readonly act: (work: () => void) => Promise<void>
}

/** A page for each test of a file, with that version of React. */
export function pageWith({ React, client }: Library): Page {
  let container: HTMLElement
  let root: ReturnType<typeof client.createRoot> | undefined
  beforeEach(() => {
    const { window } = new JSDOM('<div></div>')
    for (const [name, value] of Object.entries({
      window,
      document: window.document,
      IS_REACT_ACT_ENVIRONMENT: true,
    }))
      vi.stubGlobal(name, value)
    container = window.document.querySelector('div') ?? window.document.body
    root = undefined
  })
  afterEach(async () => {
    await leave()
    vi.unstubAllGlobals()
  })
  const act = async (work: () => void): Promise<void> => {
    await React.act(async () => work())
  }
  const leave = async (): Promise<void> => {
    await act(() => root?.unmount())
    root = undefined
  }
  return {
    text: () => container.textContent ?? '',
    act,
    leave,
    show: (node) =>
      act(() => {
        root ??= client.createRoot(container)
        root.render(node)
      }),
    hydrate: async (html, node) => {
      const faults: string[] = []
      container.innerHTML = html
      await act(() => {
        root = client.hydrateRoot(container, node, {
          onRecoverableError: (error) => faults.push(String(error)),
        })
      })
      return faults
    },
  }
}
