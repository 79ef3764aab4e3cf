import { JSDOM } from 'jsdom'
import type { ReactNode } from 'react'
import { afterEach, beforeEach, vi } from 'vitest'
import type { Library } from './react-versions.ts'

/** A page without a browser, by jsdom. */
export interface Page {
  readonly text: () => string
  /** Renders, or renders again. */
  readonly show: (node: ReactNode) => Promise<void>
  /** Hydrates the HTML of a server. Returns the errors that React recovered from. */
  readonly hydrate: (html: string, node: ReactNode) => Promise<readonly string[]>
  readonly leave: () => Promise<void>
  /** Runs the work, and waits until React rendered its changes. */
  readonly act: (work: () => void) => Promise<void>
}

/** Returns a page for the tests of a file, emptied for each test, with that version of React. */
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
    // A test may have let the page change by itself.
    vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true)
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
      const errors: string[] = []
      container.innerHTML = html
      await act(() => {
        root = client.hydrateRoot(container, node, {
          onRecoverableError: (error) => errors.push(String(error)),
        })
      })
      return errors
    },
  }
}
