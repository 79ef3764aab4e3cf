import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, it, onTestFinished, vi } from 'vitest'
import { createSessionHub } from '../../src/entries/hub.ts'
import type { SessionEvent } from '../../src/entries/index.ts'
import { examples, newExampleFolder } from './pages.ts'
import { onPage, reactPage } from './react-page.ts'

const BLOCKS = 1000

const withBlocks = examples.filter(({ code }) => code.includes('useBlock('))
// A browser test opens a session in the dashboard, which shows none before.
const runs = withBlocks.filter(
  ({ page: path, options }) =>
    path !== 'docs/dashboard.md' && (options.includes('browser') || options.includes('client')),
)
const folder = newExampleFolder()
const page = reactPage()

afterAll(() => rmSync(folder, { recursive: true }))

it('finds examples that show blocks, and each wraps its block in memo', () => {
  expect(withBlocks.length).toBeGreaterThan(2)
  expect(runs.length).toBeGreaterThan(0)
  for (const { page: path, code } of withBlocks) expect(code, path).toContain('const Block = memo(')
})

it.each(runs.map((example) => [`${example.page} example ${example.at}`, example] as const))(
  '%s renders one block when a block is added to a thousand',
  async (_, { code }) => {
    const hub = createSessionHub()
    onTestFinished(() => hub.delete('session'))
    const send = (sent: readonly SessionEvent[]) => hub.publish('session', sent)
    let renders = 0
    vi.stubGlobal('countRender', () => {
      renders += 1
    })
    vi.stubGlobal('fetch', async (path: string) => hub.fetch(new Request(new URL(path, 'http://localhost'))))
    const shows = (text: string) => vi.waitFor(() => expect(page.text()).toContain(text), { timeout: 60_000 })

    await import(write(code))
    await send(events(BLOCKS))
    await shows(`text ${BLOCKS - 1}.`)
    expect(renders).toBeGreaterThanOrEqual(BLOCKS)
    renders = 0
    await send([text(BLOCKS)])
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

function write(code: string): string {
  const file = join(folder, `example-${code.length}.tsx`)
  writeFileSync(file, onPage(withCounter(code)))
  return file
}

/** Returns the example with a count of the renders of its blocks. React's `Profiler` counts commits, which many blocks may share. */
function withCounter(code: string): string {
  return code.replace('  const block = useBlock(', '  countRender()\n$&')
}
