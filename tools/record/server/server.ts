import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { asObject, parseJson } from '../../../src/json/values.ts'
import type { ProgramTools } from '../program.ts'
import { REFUSAL, type Reply, type Scenario } from '../script.ts'
import { anthropic } from './anthropic.ts'
import { castOf } from './cast.ts'
import { chat } from './chat.ts'
import { decide, type Model } from './decide.ts'
import type { Dialect, Piece } from './dialect.ts'
import { gemini } from './gemini.ts'
import type { LogEntry } from './log.ts'
import { responses } from './responses.ts'

/** A scripted model on loopback. */
export interface ModelServer {
  readonly url: string
  readonly log: readonly LogEntry[]
  /** Resolves when the model falls silent in the middle of an answer. */
  readonly silence: Promise<void>
  readonly close: () => Promise<void>
}

const DIALECTS: readonly Dialect[] = [anthropic, chat, responses, gemini]

/** Starts the model of a scenario. It speaks all dialects. */
export async function startModel(
  scenario: Scenario,
  tools: ProgramTools,
  work: string,
): Promise<ModelServer> {
  const model: Model = { scenario, tools, work, cast: castOf(scenario.agents), log: [] }
  let fallSilent = () => {}
  const silence = new Promise<void>((resolve) => {
    fallSilent = resolve
  })
  const server = createServer((request, response) => {
    response.on('error', () => {})
    answer(model, request, response, fallSilent).catch(() => response.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the model server has no port')
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  return { url: `http://127.0.0.1:${address.port}`, log: model.log, silence, close }
}

async function answer(
  model: Model,
  request: IncomingMessage,
  response: ServerResponse,
  fallSilent: () => void,
): Promise<void> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  const path = (request.url ?? '').split('?')[0] ?? ''
  const dialect = DIALECTS.find((each) => each.asks(path))
  if (!dialect || request.method !== 'POST') {
    // Programs ask for lists of models and for counts of tokens. An empty answer is enough for all of them.
    sendJson(response, 200, { object: 'list', data: [], models: [], input_tokens: 100, totalTokens: 100 })
    return
  }
  const asked = dialect.read(asObject(parseJson(Buffer.concat(chunks).toString())), path)
  const { entry, reply } = decide(model, asked)
  model.log.push(entry)
  if (reply.waits !== undefined) await sleep(reply.waits)
  const wire = { ...entry, id: `${model.scenario.name}${entry.number}` }
  if (reply.status !== undefined) sendJson(response, reply.status, dialect.error(reply.status, REFUSAL))
  else if (asked.streams) await sendStream(response, dialect.stream(wire), entry, reply, fallSilent)
  else sendJson(response, 200, dialect.whole(wire))
}

function sendJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(JSON.stringify(body))
}

/** Programs join pieces that come at once, and a session with pieces apart shows more. */
const MILLISECONDS_BETWEEN_PIECES = 3

/** The program has to read what was sent before its connection goes, also on a busy machine. */
const MILLISECONDS_TO_ARRIVE = 600

async function sendStream(
  response: ServerResponse,
  pieces: Iterable<Piece>,
  entry: LogEntry,
  { stops }: Reply,
  fallSilent: () => void,
): Promise<void> {
  const closed = new Promise<void>((resolve) => response.on('close', resolve))
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' })
  let words = 0
  entry.sent = ''
  for (const { frame, word } of pieces) {
    if (response.destroyed) {
      entry.outcome = 'left'
      return
    }
    if (word !== undefined && words === stops?.afterWords) {
      entry.outcome = stops.by === 'cut' ? 'cut' : 'silent'
      await sleep(MILLISECONDS_TO_ARRIVE)
      if (stops.by === 'cut') response.destroy()
      else fallSilent()
      return closed
    }
    if (word !== undefined) words += 1
    entry.sent += word ?? ''
    response.write(frame)
    await sleep(MILLISECONDS_BETWEEN_PIECES)
  }
  response.end()
}
