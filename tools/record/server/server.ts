import type { ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ProgramTools } from '../program.ts'
import { REFUSAL, type Reply, type Scenario } from '../script.ts'
import { castOf } from './cast.ts'
import { decide, type Model } from './decide.ts'
import type { Piece } from './dialect.ts'
import { type AskedModel, type Listening, listen, sendJson } from './listen.ts'
import type { LogEntry } from './log.ts'

/** A scripted model on loopback. */
export interface ModelServer extends Listening {
  readonly log: readonly LogEntry[]
  /** Resolves when the model falls silent in the middle of an answer. */
  readonly silence: Promise<void>
}

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
  const server = await listen((asked, response) => answer(model, asked, response, fallSilent))
  return { ...server, log: model.log, silence }
}

async function answer(
  model: Model,
  { dialect, asked }: AskedModel,
  response: ServerResponse,
  fallSilent: () => void,
): Promise<void> {
  const { entry, reply } = decide(model, asked)
  model.log.push(entry)
  if (reply.waits !== undefined) await sleep(reply.waits)
  const wire = { ...entry, id: `${model.scenario.name}${entry.number}` }
  if (reply.status !== undefined) sendJson(response, reply.status, dialect.error(reply.status, REFUSAL))
  else if (asked.streams) await sendStream(response, dialect.stream(wire), entry, reply, fallSilent)
  else sendJson(response, 200, dialect.whole(wire))
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
