import { createHash } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ConversationLimits, hashTurns } from 'agentfold/identity'
import { afterEach, describe, expect, it } from 'vitest'
import { runExample } from '../command.ts'
import { turnsServer } from './server.ts'

// The router cases of the document "content-hash conversations".

const ends: (() => void)[] = []
afterEach(() => {
  for (const end of ends.splice(0)) end()
})

function start(limits: Partial<ConversationLimits> = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'turns-'))
  const server = turnsServer(folder, limits)
  ends.push(() => {
    server.close()
    rmSync(folder, { recursive: true })
  })
  const ask = async (method: string, path: string, body?: unknown) => {
    const init =
      body instanceof FormData
        ? { body }
        : body === undefined
          ? {}
          : { body: typeof body === 'string' ? body : JSON.stringify(body) }
    const response = await server.fetch(new Request(`http://host/v1/${path}`, { method, ...init }))
    return { status: response.status, body: await response.json() }
  }
  const get = (path: string) => server.fetch(new Request(`http://host/v1/${path}`))
  const post = (spec: unknown, audio: Readonly<Record<string, Uint8Array<ArrayBuffer>>> = {}) =>
    ask('POST', 'conversations', formOf(spec, audio))
  return { folder, ask, get, post }
}

function formOf(spec: unknown, audio: Readonly<Record<string, Uint8Array<ArrayBuffer>>>): FormData {
  const form = new FormData()
  if (spec !== undefined) form.set('spec', typeof spec === 'string' ? spec : JSON.stringify(spec))
  for (const [key, bytes] of Object.entries(audio)) form.set(key, new Blob([bytes]), 'audio.wav')
  return form
}

const wav = Uint8Array.from([82, 73, 70, 70])
const sha256 = createHash('sha256').update(wav).digest('hex')
const text = { name: 'greeting', turns: [{ role: 'user', text: 'Hello.' }, { role: 'agent' }] }
const withAudio = (...keys: readonly string[]) => ({
  name: 'call',
  turns: keys.map((upload_key) => ({ role: 'user', text: 'Hi.', audio: { kind: 'recorded', upload_key } })),
})

describe('POST /v1/conversations', () => {
  it('stores turns of text, and returns the row', async () => {
    const { ask, post } = start()
    const { status, body } = await post(text)
    expect(status).toBe(200)
    expect(body).toEqual({
      ...text,
      hash: hashTurns(text.turns as never),
      created_at: expect.any(String),
      last_run_at: expect.any(String),
    })
    expect(await ask('GET', `conversations/${body.hash}`)).toEqual({ status: 200, body })
  })

  it('stores audio once under its hash, with no unfinished file', async () => {
    const { folder, post } = start()
    const { body } = await post(withAudio('a', 'b'), { a: wav, b: wav })
    expect(body.turns[0].audio).toEqual({ kind: 'recorded', sha256 })
    await post({ ...withAudio('c'), name: 'again' }, { c: wav })
    expect(readdirSync(join(folder, 'recorded'))).toEqual([`${sha256}.wav`])
    expect(new Uint8Array(readFileSync(join(folder, 'recorded', `${sha256}.wav`)))).toEqual(wav)
  })

  it('serves stored audio by its hash, and no other file', async () => {
    const { get, post } = start()
    await post(withAudio('a'), { a: wav })
    const found = await get(`audio/${sha256}`)
    expect(found.headers.get('content-type')).toBe('audio/wav')
    expect(new Uint8Array(await found.arrayBuffer())).toEqual(wav)
    for (const other of ['0'.repeat(64), 'x', '..%2Fturns.db', `${sha256}.wav`]) {
      const refused = await get(`audio/${other}`)
      expect(refused.status).toBe(404)
      expect(await refused.json()).toEqual({ issues: [{ code: 'audio-not-found', path: ['sha256'] }] })
    }
  })

  it('keeps the hash and the first time under another name', async () => {
    const { post } = start()
    const { body: first } = await post(text)
    const { body: renamed } = await post({ ...text, name: 'welcome' })
    expect(renamed).toEqual({ ...first, name: 'welcome', last_run_at: renamed.last_run_at })
  })

  it.each<[string, unknown, Record<string, Uint8Array<ArrayBuffer>>]>([
    ['no spec', undefined, {}],
    ['a spec that is no JSON', '{', {}],
    ['a spec of another shape', { name: 7, turns: [] }, {}],
    ['a missing upload key', withAudio('a'), {}],
    ['an unreferenced upload key', text, { a: wav }],
    ['the upload key of the spec', withAudio('spec'), {}],
  ])('answers 400 to %s, and stores nothing', async (_, spec, audio) => {
    const { folder, ask, post } = start()
    expect((await post(spec, audio)).status).toBe(400)
    expect(readdirSync(join(folder, 'recorded'))).toEqual([])
    expect((await ask('GET', `conversations/${hashTurns(text.turns as never)}`)).status).toBe(404)
  })

  it('answers 400 to a body that is no form, and to a part that is no file', async () => {
    const { ask } = start()
    expect((await ask('POST', 'conversations', '{')).status).toBe(400)
    const form = formOf(withAudio('a'), {})
    form.set('a', 'text')
    expect((await ask('POST', 'conversations', form)).body).toMatchObject({
      issues: [{ code: 'invalid-value', path: ['a'] }],
    })
  })

  it('answers 400 to two specs', async () => {
    const form = formOf(text, {})
    form.append('spec', JSON.stringify(text))
    expect(await start().ask('POST', 'conversations', form)).toMatchObject({
      status: 400,
      body: { issues: [{ code: 'invalid-value', path: ['spec'] }] },
    })
  })

  it.each<[string, Partial<ConversationLimits>]>([
    ['a spec', { specBytes: 20 }],
    ['one audio', { audioBytes: 3 }],
    ['a body', { bodyBytes: 3 }],
  ])('answers 413 to %s that is too large', async (_, limits) => {
    expect((await start(limits).post(withAudio('a'), { a: wav })).status).toBe(413)
  })

  it('counts the spec in UTF-8 bytes', async () => {
    const spec = JSON.stringify({ name: 'ü'.repeat(100), turns: [] })
    expect((await start({ specBytes: spec.length + 100 }).post(spec)).status).toBe(200)
    expect((await start({ specBytes: spec.length + 99 }).post(spec)).status).toBe(413)
  })
})

describe('replays', () => {
  it('begin pending, and end once', async () => {
    const { ask, post } = start()
    const { body: conversation } = await post(text)
    const { status, body: replay } = await ask('POST', 'replays', { conversation_hash: conversation.hash })
    expect(status).toBe(201)
    expect(replay).toEqual({
      id: expect.any(String),
      conversation_hash: conversation.hash,
      lifecycle_state: 'pending',
    })
    const path = `replays/${replay.id}`
    expect((await ask('PATCH', path, { lifecycle_state: 'running' })).status).toBe(400)
    const ended = { ...replay, lifecycle_state: 'completed' }
    expect(await ask('PATCH', path, { lifecycle_state: 'completed' })).toEqual({ status: 200, body: ended })
    for (const lifecycle_state of ['pending', 'completed', 'failed'])
      expect((await ask('PATCH', path, { lifecycle_state })).status).toBe(409)
    expect(await ask('GET', path)).toEqual({ status: 200, body: ended })
  })

  it('need a hash, a stored conversation and JSON', async () => {
    const { ask } = start()
    expect((await ask('POST', 'replays', { conversation_hash: 'x' })).status).toBe(400)
    expect((await ask('POST', 'replays', 'null')).status).toBe(400)
    expect((await ask('POST', 'replays', '{')).status).toBe(400)
    expect((await ask('POST', 'replays', { conversation_hash: sha256 })).status).toBe(404)
  })
})

it('says in each refusal what is wrong, and where', async () => {
  const { ask, post } = start({ audioBytes: 5 })
  const { body: conversation } = await post(text)
  const { body: replay } = await ask('POST', 'replays', { conversation_hash: conversation.hash })
  await ask('PATCH', `replays/${replay.id}`, { lifecycle_state: 'failed' })
  const large = { a: Uint8Array.from([1, 2, 3, 4, 5, 6]) }
  const answers = [
    await post(undefined),
    await post(text, { a: wav }),
    await post(withAudio('b'), {}),
    await post(withAudio('a'), large),
    await ask('POST', 'conversations', '{'),
    await ask('POST', 'replays', { conversation_hash: null }),
    await ask('POST', 'replays', { conversation_hash: sha256 }),
    await ask('PATCH', `replays/${replay.id}`, { lifecycle_state: 'completed' }),
    await ask('PATCH', `replays/${replay.id}`, { lifecycle_state: 'constructor' }),
    await ask('GET', 'conversations/__proto__'),
    await ask('GET', 'other'),
  ]
  const first = ({ body, status }: (typeof answers)[number]) => [
    status,
    body.issues[0].code,
    body.issues[0].path,
  ]
  expect(answers.map(first)).toEqual([
    [400, 'missing', []],
    [400, 'unreferenced-upload-key', ['a']],
    [400, 'missing-upload-key', ['b']],
    [413, 'too-large', ['a']],
    [400, 'invalid-value', []],
    [400, 'invalid-value', ['conversation_hash']],
    [404, 'conversation-not-found', ['conversation_hash']],
    [409, 'terminal-state', ['lifecycle_state']],
    [400, 'invalid-value', ['lifecycle_state']],
    [404, 'conversation-not-found', ['conversation_hash']],
    [404, 'route-not-found', ['url']],
  ])
})

it('starts with one command', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'turns-'))
  const example = await runExample('recorded-turns', folder)
  try {
    const { status } = await fetch(example.url, { method: 'POST', body: formOf(text, {}) })
    expect([example.url.endsWith('/v1/conversations'), status]).toEqual([true, 200])
  } finally {
    await example.stop()
    rmSync(folder, { recursive: true })
  }
})

it('answers 404 to what is not there', async () => {
  const { ask, post } = start()
  const { body } = await post(text)
  const known = `conversations/${body.hash}`
  for (const path of [`conversations/${sha256}`, 'conversations/x', 'replays/x'])
    expect((await ask('GET', path)).status, path).toBe(404)
  for (const path of ['other', `${known}/x`, `../v2/${known}`])
    expect(await ask('GET', path), path).toMatchObject({
      status: 404,
      body: { issues: [{ code: 'route-not-found' }] },
    })
  expect((await ask('PATCH', 'replays/x', {})).status).toBe(404)
})

it('is a server of at most 120 lines', () => {
  const text = readFileSync(join(import.meta.dirname, 'server.ts'), 'utf8')
  expect(text.trimEnd().split('\n').length).toBeLessThanOrEqual(120)
})
