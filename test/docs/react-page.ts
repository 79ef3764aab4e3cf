import { JSDOM } from 'jsdom'
import { afterEach, beforeEach, vi } from 'vitest'

/** The page of an example, by jsdom. */
export interface ReactPage {
  /** Returns the text that the page shows. */
  readonly text: () => string
}

/** Returns an empty page for each test of a file. An example shows its root there if its code went through `onPage`. */
export function reactPage(): ReactPage {
  const roots: { unmount(): void }[] = []
  let body: HTMLElement
  beforeEach(() => {
    const { window } = new JSDOM('<body></body>')
    body = window.document.body
    for (const [name, value] of Object.entries({
      window,
      document: window.document,
      navigator: window.navigator,
      registerRoot: <Root extends { unmount(): void }>(root: Root) => {
        roots.push(root)
        return root
      },
    }))
      vi.stubGlobal(name, value)
  })
  afterEach(async () => {
    for (const root of roots.splice(0)) root.unmount()
    // React's scheduler reads `window` in the tasks that it has already planned.
    for (let turn = 0; turn < 3; turn += 1) await new Promise(setImmediate)
    vi.unstubAllGlobals()
  })
  return {
    text: () => body.textContent ?? '',
  }
}

/** Returns the code of an example whose root the page unmounts after the test. */
export function onPage(code: string): string {
  const shown = code.replace('createRoot(document.body)', 'registerRoot(createRoot(document.body))')
  if (shown === code) throw new Error('the example shows nothing in the body of the page')
  return `/** @jsxRuntime automatic */\n${shown}`
}
