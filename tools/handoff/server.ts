import { createServer } from 'node:http'
import { asObject, type JsonObject, parseJson } from '../../src/json/values.ts'
import { anthropic } from '../record/server/anthropic.ts'
import { chat } from '../record/server/chat.ts'
import type { Dialect, WireCall } from '../record/server/dialect.ts'
import { gemini } from '../record/server/gemini.ts'
import { responses } from '../record/server/responses.ts'

/** A model on loopback that answers every request with one text or a call, and keeps what it was asked. */
export interface ListeningModel {
  readonly url: string
  readonly requests: readonly JsonObject[]
  /** Answers the next request for a conversation that has the prompt with a call. */
  readonly callAt: (prompt: string, call: Omit<WireCall, 'id'>) => void
  readonly close: () => Promise<void>
}

const DIALECTS: readonly Dialect[] = [anthropic, chat, responses, gemini]
const NO_TOKENS = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, reasoning: 0 }

/** Starts the model. It speaks all dialects. */
export async function startListeningModel(): Promise<ListeningModel> {
  const requests: JsonObject[] = []
  const calls = new Map<string, Omit<WireCall, 'id'>>()
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const path = (request.url ?? '').split('?')[0] ?? ''
    const dialect = DIALECTS.find((each) => each.asks(path))
    if (!dialect || request.method !== 'POST') {
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ object: 'list', data: [], models: [], input_tokens: 1, totalTokens: 1 }))
      return
    }
    const body = asObject(parseJson(Buffer.concat(chunks).toString()))
    requests.push(body)
    const { model, streams } = dialect.read(body, path)
    const id = `r${requests.length}`
    const called = [...calls].filter(
      ([prompt]) => isConversation(body) && JSON.stringify(body).includes(prompt),
    )
    for (const [prompt] of called) calls.delete(prompt)
    const own = called.map(([, call], at) => ({ id: `call_${id}_${at}`, ...call }))
    const reply = { id, model, say: 'Continued.', calls: own, tokens: NO_TOKENS }
    response.writeHead(200, { 'content-type': streams ? 'text/event-stream' : 'application/json' })
    if (streams) for (const { frame } of dialect.stream(reply)) response.write(frame)
    response.end(streams ? undefined : JSON.stringify(dialect.whole(reply)))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the model has no port')
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  const callAt: ListeningModel['callAt'] = (prompt, call) => calls.set(prompt, call)
  return { url: `http://127.0.0.1:${address.port}`, requests, callAt, close }
}

/** Whether a request is for a conversation. Those for a title offer no tools. */
export function isConversation({ tools }: JsonObject): boolean {
  return Array.isArray(tools) && tools.length > 0
}
