import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { readTranscript, type SessionEvent } from 'agentfold'
import { build } from 'esbuild'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { launchChromium, skipReason } from './chromium.ts'

interface ExampleServer {
  publish(event: SessionEvent): void
  handle(request: IncomingMessage, response: ServerResponse): void
}

const root = join(import.meta.dirname, '../../..')
const PAGE = '<!doctype html><body></body><script type="module" src="/client.js"></script>'

describe.skipIf(skipReason)(`the server and client of docs/server-to-browser.md ${skipReason ?? ''}`, () => {
  let folder = ''
  let browser: Browser
  let server: Server
  let example: ExampleServer
  let address = ''

  beforeAll(async () => {
    folder = await mkdtemp(join(import.meta.dirname, '.example-'))
    const text = await readFile(join(root, 'docs/server-to-browser.md'), 'utf8')
    await writeFile(join(folder, 'server.ts'), codeOf(text, 'ts server'))
    await writeFile(join(folder, 'client.tsx'), codeOf(text, 'tsx client'))
    example = await import(join(folder, 'server.ts'))
    const client = await bundled(join(folder, 'client.tsx'))
    server = createServer((request, response) => {
      if (request.url === '/') response.setHeader('content-type', 'text/html').end(PAGE)
      else if (request.url === '/client.js') response.setHeader('content-type', 'text/javascript').end(client)
      else example.handle(request, response)
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
    browser = await launchChromium()
  })
  afterAll(async () => {
    await browser?.close()
    server?.closeAllConnections()
    server?.close()
    await rm(folder, { recursive: true })
  })

  it('show a session that continues, also to a page that joins late', async () => {
    const raw = await readFile(join(root, 'fixtures/claude-code/03-tools/stream.ndjson'), 'utf8')
    const { events } = readTranscript('claude-sdk', raw)
    const half = Math.floor(events.length / 2)
    for (const event of events.slice(0, half)) example.publish(event)
    const page = await browser.newPage()
    const errors: string[] = []
    page.on('pageerror', (error) => errors.push(String(error)))
    await page.goto(address)
    await page.waitForSelector('p')
    for (const event of events.slice(half)) example.publish(event)
    const shown = events.flatMap((event) =>
      event.type === 'block:upsert' &&
      event.block.type === 'assistant_text' &&
      event.block.status === 'complete'
        ? event.block.content
        : [],
    )
    expect(shown.length).toBeGreaterThan(0)
    for (const text of shown) await page.getByText(text, { exact: true }).waitFor()
    expect(errors).toEqual([])
  })
})

/** Returns the block of code with that name. */
function codeOf(page: string, name: string): string {
  const [, code] = page.match(new RegExp(`^\`\`\`${name}\n(.*?)^\`\`\``, 'ms')) ?? []
  if (code === undefined) throw new Error(`the page has no ${name}`)
  return code
}

async function bundled(path: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [path],
    bundle: true,
    write: false,
    format: 'esm',
    jsx: 'automatic',
    alias: {
      agentfold: join(root, 'src/index.ts'),
      'agentfold/react': join(root, 'src/react/index.ts'),
      'agentfold/sync': join(root, 'src/sync/index.ts'),
    },
    define: { 'process.env.NODE_ENV': '"production"' },
  })
  return outputFiles[0]?.text ?? ''
}
