import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { onlySession, type RunningServer, startServer } from '../../../src/cli/serve/serve-session.ts'
import { createSessionHub } from '../../../src/entries/hub.ts'
import { temporaryFolder } from '../temporary.ts'
import { agentfold } from '../terminal.ts'

const RECORDING = join(import.meta.dirname, '../../../fixtures/claude-code/01-plain-text/stream.ndjson')
const PAGE = '<!doctype html>'

async function usedPort(): Promise<number> {
  const server: Server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const address = server.address()
  return typeof address === 'object' ? (address?.port ?? 0) : 0
}

/** A pipe that stays open. Its reader is known. */
function openPipe(): { readonly chunks: AsyncIterable<string>; readonly wasRead: () => boolean } {
  let isRead = false
  return {
    wasRead: () => isRead,
    chunks: {
      [Symbol.asyncIterator]: () => ({
        next: () => {
          isRead = true
          return new Promise<IteratorResult<string>>(() => {})
        },
      }),
    },
  }
}

const { file, inFolder } = temporaryFolder()

describe('agentfold serve', () => {
  it('prints an address, and ends at Ctrl-C while a browser reads', async () => {
    const stop = new AbortController()
    const status: Promise<number>[] = []
    const { code, out } = await agentfold(['serve', RECORDING], {
      page: PAGE,
      interruption: () => stop.signal,
      onWrite: (url) => {
        const response = fetch(new URL('events/session', url.trim()))
        status.push(response.then((each) => each.status))
        response.then(() => stop.abort())
      },
    })
    expect(code).toBe(0)
    expect(out).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/[\w-]{24}\/\n$/)
    expect(await Promise.all(status)).toEqual([200])
  })

  it.each([true, false])('lists the sessions of --home, with an index file %s', async (isIndexed) => {
    const person = `person-${isIndexed}`
    await file(
      join(`other-${isIndexed}`, '.claude', 'projects', 'p', 'tea.jsonl'),
      await readFile(RECORDING, 'utf8'),
    )
    const stop = new AbortController()
    const lists: Promise<string>[] = []
    const { code } = await agentfold(
      ['serve', '--home', inFolder(`other-${isIndexed}`), ...(isIndexed ? [] : ['--no-index'])],
      {
        page: PAGE,
        home: inFolder(person),
        interruption: () => stop.signal,
        onWrite: (url) => {
          const list = fetch(new URL('../list', url.trim())).then((each) => each.text())
          lists.push(list)
          list.then(() => stop.abort())
        },
      },
    )
    expect(code).toBe(0)
    const list = (await Promise.all(lists)).join('')
    expect(list).toContain('"status":"finished"')
    expect(list).toContain('"phase":"complete"')
    expect(existsSync(inFolder(person, '.cache'))).toBe(isIndexed)
    expect(existsSync(inFolder(`other-${isIndexed}`, '.cache'))).toBe(false)
  })

  it('ends at once if Ctrl-C came before the address', async () => {
    const { code } = await agentfold(['serve', '-'], {
      page: PAGE,
      interruption: () => AbortSignal.abort(),
      stdin: openPipe().chunks,
    })
    expect(code).toBe(0)
  })

  it('says that a file has no session yet', async () => {
    const stop = new AbortController()
    const { code, err } = await agentfold(['serve', await file('notes.md', 'hello\n')], {
      page: PAGE,
      interruption: () => stop.signal,
      onWrite: () => setImmediate(() => stop.abort()),
    })
    expect(code).toBe(0)
    expect(err).toMatch(/^agentfold: .*notes\.md: no session in it yet, waiting for one\n$/)
  })

  it('opens the browser, and goes on without one', async () => {
    vi.stubEnv('PATH', '/nowhere')
    onTestFinished(() => void vi.unstubAllEnvs())
    const stop = new AbortController()
    const { code, err } = await agentfold(['serve', RECORDING, '--open'], {
      page: PAGE,
      interruption: () => stop.signal,
      onWrite: () => setImmediate(() => stop.abort()),
    })
    expect({ code, err }).toEqual({ code: 0, err: '' })
  })

  it('gives exit code 1 for a missing file', async () => {
    const { code, err } = await agentfold(['serve', './nowhere'], { page: PAGE })
    expect(code).toBe(1)
    expect(err).toContain('no such file or folder')
  })

  // Only the build puts the page beside the command line.
  it.each([
    ['serve', RECORDING],
    ['show', RECORDING, '--html', '/dev/null'],
  ])('%s throws if the package has no page', async (...args) => {
    await expect(agentfold(args)).rejects.toThrow(/(page|report)\.html/)
  })

  it('ends with an error for a pipe without a session', async () => {
    const { code, err } = await agentfold(['serve', '-'], { page: PAGE, stdin: ['hello\n'] })
    expect(code).toBe(1)
    expect(err).toMatch(/^agentfold: -: not a transcript/)
  })

  // The process did not end, because it followed the file.
  it('stops following a file if the port is in use', async () => {
    const port = await usedPort()
    const { code, err } = await agentfold(['serve', RECORDING, '--port', `${port}`], { page: PAGE })
    expect(code).toBe(1)
    expect(err).toBe(`agentfold: port ${port} is in use: pass another --port, or none\n`)
    await expect.poll(() => process.getActiveResourcesInfo()).not.toContain('FSEventWrap')
  })

  // Each start had another port, and so a browser forgot the saved searches and asked again for notifications.
  it('has the same port at each start, or any free one if another server has it', async () => {
    const servers: RunningServer[] = []
    const start = async (ports: readonly number[]) => {
      const server = await startServer({ page: PAGE, content: onlySession(createSessionHub()), ports })
      servers.push(server)
      return Number(new URL(server.url).port)
    }
    const usual = await start([0])
    const other = await start([usual, 0])
    expect(other).not.toBe(usual)
    await servers[0]?.close()
    expect(await start([usual, 0])).toBe(usual)
    await Promise.all(servers.slice(1).map((server) => server.close()))
  })

  // The process did not end, because it read the pipe.
  it('never reads a pipe if the port is in use', async () => {
    const { chunks, wasRead } = openPipe()
    const { code } = await agentfold(['serve', '-', '--port', `${await usedPort()}`], {
      page: PAGE,
      stdin: chunks,
    })
    expect(code).toBe(1)
    expect(wasRead()).toBe(false)
  })
})
