import { appendFile, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { serveFile, servePipe } from '../../../src/cli/serve/serve-session.ts'
import { parseTranscript, type SessionConversationState } from '../../../src/entries/index.ts'
import { restore } from '../../../src/entries/sync.ts'
import { temporaryFolder } from '../temporary.ts'
import { agentfold } from '../terminal.ts'

const RECORDING = join(import.meta.dirname, '../../../fixtures/claude-code/03-tools/stream.ndjson')
const PAGE = '<!doctype html>'
const raw = await readFile(RECORDING, 'utf8')
const whole = parseTranscript('claude-sdk', raw)

/** Returns the state in the first message for a reader. */
async function stateAt(url: string): Promise<SessionConversationState> {
  const { body } = await fetch(new URL('events/session', url))
  const reader = body?.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  while (!text.endsWith('\n\n')) text += (await reader?.read())?.value ?? ''
  await reader?.cancel()
  return restore(JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? '')).state
}

describe('a served session', () => {
  const { inFolder } = temporaryFolder()

  it('follows a file while it grows, and after it was written anew', async () => {
    const path = inFolder('session.ndjson')
    const lines = raw.split('\n')
    const half = Math.floor(lines.length / 2)
    await writeFile(path, `${lines.slice(0, half).join('\n')}\n`)
    const stop = new AbortController()
    const session = await serveFile(path, { page: PAGE, signal: stop.signal })
    const first = await stateAt(session.url)
    expect(first.blocks.length).toBeGreaterThan(0)
    await appendFile(path, lines.slice(half).join('\n'))
    await expect.poll(() => stateAt(session.url)).toEqual(whole)
    await writeFile(path, `${lines.slice(0, half).join('\n')}\n`)
    await expect.poll(() => stateAt(session.url)).toEqual(first)
    stop.abort()
    await session.ended
    await session.close()
  })

  it('has a title that the program gives it later', async () => {
    const path = inFolder('titled.jsonl')
    const prompt = {
      type: 'user',
      uuid: 'u',
      parentUuid: null,
      sessionId: 's',
      cwd: '/srv',
      version: '2.1.0',
    }
    const message = { role: 'user', content: 'Make tea.' }
    await writeFile(path, `${JSON.stringify({ ...prompt, isSidechain: false, message })}\n`)
    const stop = new AbortController()
    const session = await serveFile(path, { page: PAGE, signal: stop.signal })
    expect((await stateAt(session.url)).session.title).toBeUndefined()
    await appendFile(path, `${JSON.stringify({ type: 'ai-title', aiTitle: 'Tea', sessionId: 's' })}\n`)
    const titleOf = async () => (await stateAt(session.url)).session.title
    await expect.poll(titleOf).toBe('Tea')
    stop.abort()
    await session.ended
    await session.close()
  })

  it('shows the session of a pipe', async () => {
    const session = await servePipe(chunks(raw), { page: PAGE, format: undefined })
    await session.ended
    expect(await stateAt(session.url)).toEqual(whole)
    await session.close()
  })

  it.each([
    ['an empty pipe', ''],
    ['a pipe without a session', 'hello\n'],
  ])('reports %s', async (_, text) => {
    const session = await servePipe(chunks(text), { page: PAGE, format: undefined })
    await expect(session.ended).rejects.toThrow(/^-: /)
    await session.close()
  })

  it('serves nothing of a file if it is stopped before', async () => {
    const session = await serveFile(RECORDING, { page: PAGE, signal: AbortSignal.abort() })
    await session.ended
    expect((await stateAt(session.url)).blocks).toEqual([])
    await session.close()
  })

  it('reports a file that is not there before it serves anything', async () => {
    const { signal } = new AbortController()
    await expect(serveFile('/nowhere', { page: PAGE, signal })).rejects.toThrow('/nowhere')
  })

  it.each(['x', '-1', '70000', '1.5'])('refuses the port %s', async (port) => {
    const { code, err } = await agentfold(['serve', RECORDING, '--port', port])
    expect(code).toBe(2)
    expect(err).toContain('Use a number from 0 to 65535.')
  })
})

async function* chunks(text: string): AsyncGenerator<string> {
  yield text
}
