import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { asObject, type JsonObject, parseJson } from '../../../src/core/json/values.ts'
import { anthropic } from './anthropic.ts'
import { chat } from './chat.ts'
import { answerOfDemo } from './demo-tools.ts'
import type { Dialect, ModelRequest } from './dialect.ts'
import { gemini } from './gemini.ts'
import { responses } from './responses.ts'

const DIALECTS: readonly Dialect[] = [anthropic, chat, responses, gemini]

/** A request that asks a model. */
export interface AskedModel {
  readonly dialect: Dialect
  readonly body: JsonObject
  readonly asked: ModelRequest
}

/** A server on loopback. */
export interface Listening {
  readonly url: string
  readonly close: () => Promise<void>
}

/** Starts a model on loopback. It speaks all dialects. */
export async function listen(
  answer: (asked: AskedModel, response: ServerResponse) => void | Promise<void>,
): Promise<Listening> {
  const server = createServer((request, response) => {
    response.on('error', () => {})
    const answered =
      request.url === TOOLS_PATH
        ? answerTool(request, response)
        : readRequest(request).then((asked) =>
            asked ? answer(asked, response) : sendJson(response, 200, NOTHING),
          )
    answered.catch(() => response.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the model has no port')
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  return { url: `http://127.0.0.1:${address.port}`, close }
}

/** Programs ask for lists of models, for counts of tokens and for their person. One answer is enough for all of them. */
const NOTHING = {
  object: 'list',
  data: [],
  models: [],
  input_tokens: 100,
  totalTokens: 100,
  userId: 'user',
  orgId: 'organization',
}

/** The place of a server of tools for the programs. */
const TOOLS_PATH = '/mcp'

/** Answers a request of the Model Context Protocol. It has no stream of its own. */
async function answerTool(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const answer = request.method === 'POST' ? answerOfDemo(await bodyOf(request)) : undefined
  if (answer) return sendJson(response, 200, answer)
  response.writeHead(request.method === 'POST' ? 202 : 405)
  response.end()
}

async function bodyOf(request: IncomingMessage): Promise<JsonObject> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  return asObject(parseJson(Buffer.concat(chunks).toString()))
}

async function readRequest(request: IncomingMessage): Promise<AskedModel | undefined> {
  const path = (request.url ?? '').split('?')[0] ?? ''
  const dialect = DIALECTS.find((each) => each.asks(path))
  if (!dialect || request.method !== 'POST') return undefined
  const body = await bodyOf(request)
  return { dialect, body, asked: dialect.read(body, path) }
}

export function sendJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(JSON.stringify(body))
}
