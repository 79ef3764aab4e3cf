import { JSDOM } from 'jsdom'
import { afterEach, beforeEach, vi } from 'vitest'

/** The page of an example, by jsdom, with the streams that the example opened. */
export interface ReactPage {
  /** Returns the text that the page shows. */
  readonly text: () => string
  /** Sends a message on every stream that the example opened. */
  readonly send: (data: unknown) => void
}

class FakeEventSource {
  static readonly opened: FakeEventSource[] = []
  onmessage: ((message: { readonly data: string }) => void) | null = null
  constructor() {
    FakeEventSource.opened.push(this)
  }
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
      EventSource: FakeEventSource,
      registerRoot: <Root extends { unmount(): void }>(root: Root) => {
        roots.push(root)
        return root
      },
    }))
      vi.stubGlobal(name, value)
  })
  afterEach(async () => {
    for (const root of roots.splice(0)) root.unmount()
    FakeEventSource.opened.splice(0)
    // React's scheduler reads `window` in the tasks that it has already planned.
    for (let turn = 0; turn < 3; turn += 1) await new Promise(setImmediate)
    vi.unstubAllGlobals()
  })
  return {
    text: () => body.textContent ?? '',
    send: (data) => {
      for (const stream of FakeEventSource.opened) stream.onmessage?.({ data: JSON.stringify(data) })
    },
  }
}

/** Returns the code of an example whose root the page unmounts after the test. */
export function onPage(code: string): string {
  const shown = code.replace('createRoot(document.body)', 'registerRoot(createRoot(document.body))')
  if (shown === code) throw new Error('the example shows nothing in the body of the page')
  return `/** @jsxRuntime automatic */\n${shown}`
}
