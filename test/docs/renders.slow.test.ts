import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { JSDOM } from 'jsdom'
import { afterAll, beforeEach, expect, it, vi } from 'vitest'
import { createInitialConversationState, reduceSessionEvents, type SessionEvent } from '../../src/index.ts'
import { snapshot } from '../../src/sync/index.ts'
import { examples } from './pages.ts'

const BLOCKS = 1000

const withBlocks = examples.filter(({ code }) => code.includes('useBlock('))
const runs = withBlocks.filter(({ options }) => options.includes('browser') || options.includes('client'))
const folder = mkdtempSync(join(import.meta.dirname, '.example-'))
const streams: FakeEventSource[] = []

class FakeEventSource {
  onmessage: ((message: { readonly data: string }) => void) | null = null
  constructor() {
    streams.push(this)
  }
}

beforeEach(() => streams.splice(0))
afterAll(() => rmSync(folder, { recursive: true }))

it('finds examples that show blocks, and each wraps its block in memo', () => {
  expect(withBlocks.length).toBeGreaterThan(2)
  expect(runs.length).toBeGreaterThan(1)
  for (const { page, code } of withBlocks) expect(code, page).toContain('const Block = memo(')
})

it.each(runs.map((example) => [`${example.page} example ${example.at}`, example] as const))(
  '%s renders one block when a block is added to a thousand',
  async (_, { code, options }) => {
    const { window } = new JSDOM('<body></body>')
    const isStamped = options.includes('client')
    const state = reduceSessionEvents(createInitialConversationState(), events(isStamped ? BLOCKS : 0))
    // They stay: React still works when the test is over.
    vi.stubGlobal('window', window)
    vi.stubGlobal('document', window.document)
    vi.stubGlobal('navigator', window.navigator)
    vi.stubGlobal('EventSource', FakeEventSource)
    let renders = 0
    vi.stubGlobal('countRender', () => {
      renders += 1
    })
    vi.stubGlobal('fetch', async () => Response.json(snapshot({ state, epoch: 'e', seq: 0 })))
    const shows = (text: string) =>
      vi.waitFor(() => expect(window.document.body.textContent).toContain(text), { timeout: 20_000 })

    await import(write(code))
    if (!isStamped) for (const event of events(BLOCKS)) send(event)
    await shows(`text ${BLOCKS - 1}.`)
    expect(renders).toBeGreaterThanOrEqual(BLOCKS)
    renders = 0
    const added = text(BLOCKS)
    send(isStamped ? { epoch: 'e', seq: 1, event: added } : added)
    await shows(`text ${BLOCKS}.`)
    expect(renders).toBe(1)
  },
)

function events(count: number): readonly SessionEvent[] {
  return Array.from({ length: count }, (_, at) => text(at))
}

function text(at: number): SessionEvent {
  return {
    type: 'block:upsert',
    block: { id: `b${at}`, type: 'assistant_text', status: 'complete', content: `text ${at}.` },
  }
}

function send(data: unknown): void {
  for (const stream of streams) stream.onmessage?.({ data: JSON.stringify(data) })
}

function write(code: string): string {
  const file = join(folder, `example-${code.length}.tsx`)
  writeFileSync(file, `/** @jsxRuntime automatic */\n${withCounter(code)}`)
  return file
}

/** Returns the example with a count of the renders of its blocks. React's `Profiler` counts commits, which many blocks may share. */
function withCounter(code: string): string {
  return code.replace('  const block = useBlock(', '  countRender()\n$&')
}
