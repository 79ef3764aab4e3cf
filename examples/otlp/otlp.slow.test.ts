import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { parseTranscript } from 'agentfold'
import { type OtlpSpan, toSpans } from 'agentfold/otel'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const RECORDING = join('fixtures', 'claude-code', '06-nested-forward', 'stream.ndjson')

it('is the code of docs/traces.md', async () => {
  const page = await readFile('docs/traces.md', 'utf8')
  const [, code] = /^```ts server\n(.*?)^```/ms.exec(page) ?? []
  expect(code).toBe(await readFile('examples/otlp/export-session.ts', 'utf8'))
})

describe('the OTLP example', () => {
  let folder = ''
  let collector: Server
  /** The last span of each id, as a collector keeps them. */
  const spans = new Map<string, OtlpSpan>()
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'agentfold-otlp-'))
    collector = createServer(async (request, response) => {
      const { resourceSpans } = JSON.parse(await text(request))
      for (const { scopeSpans } of resourceSpans)
        for (const scope of scopeSpans) for (const span of scope.spans) spans.set(span.spanId, span)
      response.end('{}')
    })
    collector.listen(0, '127.0.0.1')
    await once(collector, 'listening')
  })
  afterAll(async () => {
    collector.close()
    await rm(folder, { recursive: true })
  })

  it('sends a session while it grows, with one command', async () => {
    const raw = await readFile(RECORDING, 'utf8')
    const lines = raw.trimEnd().split('\n')
    const path = join(folder, 'session.ndjson')
    await writeFile(path, `${lines.slice(0, 3).join('\n')}\n`)
    const address = collector.address()
    const port = typeof address === 'object' ? address?.port : 0
    const child = spawn(
      'npm',
      ['run', '--silent', 'example:otlp', '--', path, `http://127.0.0.1:${port}/v1/traces`],
      { detached: true, stdio: ['ignore', 'pipe', 'inherit'] },
    )
    const output = text(child.stdout)
    try {
      for (const line of lines.slice(3)) await appendFile(path, `${line}\n`)
      const state = parseTranscript('claude-sdk', raw)
      const expected = toSpans(state).resourceSpans.flatMap(({ scopeSpans }) =>
        scopeSpans.flatMap((scope) => scope.spans),
      )
      // The root span comes at the end, because a later turn would change it.
      await expect.poll(() => spans.size).toBe(expected.length - 1)
      process.kill(-(child.pid ?? 0), 'SIGTERM')
      await once(child, 'exit')
      expect(await output).toContain('sent')
      expect([...spans.values()].toSorted(byId)).toEqual([...expected].sort(byId))
    } finally {
      if (child.exitCode === null && child.signalCode === null) process.kill(-(child.pid ?? 0), 'SIGKILL')
    }
  })
})

function byId(left: OtlpSpan, right: OtlpSpan): number {
  return left.spanId < right.spanId ? -1 : 1
}
