import { createServer } from 'node:http'
import { asObject, type JsonObject, parseJson } from '../../src/json/values.ts'
import { anthropic } from '../record/server/anthropic.ts'
import { chat } from '../record/server/chat.ts'
import type { Dialect } from '../record/server/dialect.ts'
import { gemini } from '../record/server/gemini.ts'
import { responses } from '../record/server/responses.ts'

/** A model on loopback that answers every request with one text, and keeps what it was asked. */
export interface ListeningModel {
  readonly url: string
  readonly requests: readonly JsonObject[]
  readonly close: () => Promise<void>
}

const DIALECTS: readonly Dialect[] = [anthropic, chat, responses, gemini]
const NO_TOKENS = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, reasoning: 0 }

/** Starts the model. It speaks all dialects. */
export async function startListeningModel(): Promise<ListeningModel> {
  const requests: JsonObject[] = []
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
    const reply = { id: `r${requests.length}`, model, say: 'Continued.', calls: [], tokens: NO_TOKENS }
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
  return { url: `http://127.0.0.1:${address.port}`, requests, close }
}
