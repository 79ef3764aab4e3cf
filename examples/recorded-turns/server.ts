import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as turns from 'agentfold/identity'
import sqlite from 'node-sqlite3-wasm'

/** The answers to the errors that a client makes, by their codes. */
const UPLOADS = { 'missing-upload-key': 400, 'unreferenced-upload-key': 400 }
const STATUSES = { ...UPLOADS, 'conversation-not-found': 404, 'terminal-state': 409, 'too-large': 413 }

/** Keeps conversations in a folder, and answers requests by the document "content-hash conversations", up to the analysis of audio. */
export function turnsServer(folder: string, given: Partial<turns.ConversationLimits> = {}) {
  const limits = { ...turns.DEFAULT_LIMITS, ...given }
  mkdirSync(join(folder, 'recorded'), { recursive: true })
  const db = new sqlite.Database(join(folder, 'turns.db'))
  db.exec('CREATE TABLE IF NOT EXISTS conversations (hash TEXT PRIMARY KEY, row TEXT)')
  db.exec('CREATE TABLE IF NOT EXISTS replays (id TEXT PRIMARY KEY, conversation_hash, lifecycle_state)')
  const find = (hash: string): turns.ConversationRow | null =>
    JSON.parse(String(db.get('SELECT row FROM conversations WHERE hash = ?', [hash])?.row ?? null))
  const get = (hash: string): turns.ConversationRow => {
    const row = find(hash)
    if (!row) throw new turns.ConversationNotFoundError(hash)
    return row
  }
  const wavOf = (sha256: string) => join(folder, 'recorded', `${sha256}.wav`)
  const getAudio = (sha256: string): Response => {
    if (!turns.isContentHash(sha256) || !existsSync(wavOf(sha256))) return notFound('audio', 'sha256')
    return new Response(readFileSync(wavOf(sha256)), { headers: { 'content-type': 'audio/wav' } })
  }

  const postConversation = async (request: Request): Promise<Response> => {
    const form = await bodyOf(request, limits.bodyBytes + limits.specBytes, (body) => body.formData())
    const [part = null, second] = form.getAll('spec')
    if (second !== undefined) throw bad(['spec'], 'one part')
    const spec = turns.parseConversationSpec(part instanceof Blob ? await part.arrayBuffer() : part, limits)
    if (!spec.ok) throw refuse(spec.issues[0]?.code === 'too-large' ? 413 : 400, ...spec.issues)
    const stored = turns.materializeTurns(spec.value.turns, await audioOf(form), limits)
    // The audio is there before its conversation, and under its name when it is whole.
    for (const { sha256, bytes } of stored.audio) {
      const part = join(folder, 'recorded', `.tmp-${crypto.randomUUID()}`)
      writeFileSync(part, bytes)
      renameSync(part, wavOf(sha256))
    }
    const upsert = { name: spec.value.name, turns: stored.turns, now: new Date().toISOString() }
    const row = turns.upsertConversation(find(turns.hashTurns(stored.turns)), upsert)
    db.run('INSERT OR REPLACE INTO conversations VALUES (?, ?)', [row.hash, JSON.stringify(row)])
    return Response.json(toWire(row))
  }
  const jsonOf = (request: Request) => bodyOf(request, limits.specBytes, (body) => body.json())
  const postReplay = async (request: Request): Promise<Response> => {
    const { conversation_hash } = Object(await jsonOf(request))
    if (!turns.isContentHash(conversation_hash)) throw bad(['conversation_hash'], '64 lowercase hex digits')
    const id = crypto.randomUUID()
    db.run('INSERT INTO replays VALUES (?, ?, ?)', [id, get(conversation_hash).hash, 'pending'])
    return Response.json(db.get('SELECT * FROM replays WHERE id = ?', [id]), { status: 201 })
  }

  const replayById = async (request: Request, id: string): Promise<Response> => {
    const body = request.method === 'PATCH' ? Object(await jsonOf(request)) : {}
    const replay = db.get('SELECT * FROM replays WHERE id = ?', [id])
    if (!replay || !turns.isReplayState(replay.lifecycle_state)) return notFound('replay', 'id')
    if (request.method === 'GET') return Response.json(replay)
    if (!turns.isReplayState(body.lifecycle_state)) throw bad(['lifecycle_state'], 'a state of a replay')
    const lifecycle_state = turns.transitionReplay(replay.lifecycle_state, body.lifecycle_state)
    db.run('UPDATE replays SET lifecycle_state = ? WHERE id = ?', [lifecycle_state, id])
    return Response.json({ ...replay, lifecycle_state })
  }

  const answer = async (request: Request): Promise<Response> => {
    const [, kind, id = ''] = /^\/v1\/([^/]+)(?:\/([^/]+))?$/.exec(new URL(request.url).pathname) ?? []
    const asked = `${request.method} ${kind}${id ? '/id' : ''}`
    if (asked === 'POST conversations') return postConversation(request)
    if (asked === 'GET conversations/id') return Response.json(toWire(get(id)))
    if (asked === 'GET audio/id') return getAudio(id)
    if (asked === 'POST replays') return postReplay(request)
    if (/^(GET|PATCH) replays\/id$/.test(asked)) return replayById(request, id)
    return notFound('route', 'url')
  }
  return { fetch: (request: Request) => answer(request).catch(refusal), close: () => db.close() }
}

/** Each issue has a code, and the path to the part of the request. */
const refuse = (status: number, ...issues: readonly object[]) => Response.json({ issues }, { status })
const bad = (path: string[], expected: string) => refuse(400, { code: 'invalid-value', path, expected })
const notFound = (what: string, place: string) => refuse(404, { code: `${what}-not-found`, path: [place] })

function toWire({ createdAt, lastRunAt, ...row }: turns.ConversationRow) {
  return { ...row, created_at: createdAt, last_run_at: lastRunAt }
}

/** Reads a body, and refuses it as soon as it is too long. */
async function bodyOf<Value>(request: Request, allowed: number, read: (body: Body) => Promise<Value>) {
  const chunks: Uint8Array[] = []
  let actual = 0
  for await (const chunk of request.body ?? []) {
    actual += chunk.length
    if (actual > allowed) throw new turns.ConversationLimitError('bodyBytes', { actual, allowed })
    chunks.push(chunk)
  }
  const body = new Response(Buffer.concat(chunks), { headers: request.headers })
  return read(body).catch(() => Promise.reject(bad([], 'a multipart form or JSON')))
}

async function audioOf(form: FormData): Promise<ReadonlyMap<string, Uint8Array>> {
  const audio = new Map<string, Uint8Array>()
  for (const [key, part] of form) {
    if (key === 'spec') continue
    if (typeof part === 'string' || audio.has(key)) throw bad([key], 'one file')
    audio.set(key, new Uint8Array(await part.arrayBuffer()))
  }
  return audio
}

/** Answers an error that the client has made. Any other error goes on. */
function refusal(error: unknown): Response {
  if (error instanceof Response) return error
  const { code, path, message } = Object(error)
  const status = Object.entries(STATUSES).find(([each]) => each === code)?.[1]
  if (status === undefined) throw error
  return refuse(status, { code, path, message })
}
