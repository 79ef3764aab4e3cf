import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Cursor, StampedEvent } from 'agentfold/sync'
import type { SessionLog } from './session-log.ts'

/**
 * What brings an event to a reader: `write` sends it, as often and as late as one likes; `cut` breaks the connection. Both are the
 * same functions for all events of a connection.
 */
export type Transport = (
  stamped: StampedEvent,
  write: (stamped: StampedEvent) => void,
  cut: () => void,
) => void

export interface EventStreamOptions {
  readonly transport: Transport
  /** How often a comment shows proxies that the connection is alive, in ms. */
  readonly heartbeatMs: number
}

/** Sends the events of a log after a place as server-sent events, those that are there and those that come. */
export class EventStream {
  readonly #log: SessionLog
  readonly #response: ServerResponse
  readonly #transport: Transport
  readonly #heartbeatMs: number
  #next: number
  #isFull = false
  #isClosed = false

  constructor(
    log: SessionLog,
    request: IncomingMessage,
    response: ServerResponse,
    options: EventStreamOptions,
  ) {
    this.#log = log
    this.#response = response
    this.#transport = options.transport
    this.#next = firstAfter(placeIn(request), log.epoch)
    this.#heartbeatMs = options.heartbeatMs
  }

  /** Goes on until the reader or the server ends it. */
  open(): void {
    const response = this.#response
    response.writeHead(200, HEADERS)
    // Who knows another log must notice before anything happens in this one.
    response.write(`event: log\ndata: ${this.#log.epoch}\n\n`)
    const heartbeat = setInterval(() => this.#beat(), this.#heartbeatMs)
    const unsubscribe = this.#log.subscribe(this.#send)
    response.on('drain', () => {
      this.#isFull = false
      this.#send()
    })
    response.on('close', () => {
      this.#isClosed = true
      clearInterval(heartbeat)
      unsubscribe()
    })
    this.#send()
  }

  /** Events wait in the log, not in memory of the connection, until the reader has taken those before. */
  readonly #send = (): void => {
    while (!this.#isFull && !this.#isClosed) {
      const stamped = this.#log.stamped[this.#next]
      if (!stamped) return
      this.#next += 1
      this.#transport(stamped, this.#write, this.#cut)
    }
  }

  readonly #write = (stamped: StampedEvent): void => {
    if (this.#isClosed) return
    const { epoch, seq } = stamped
    const isTaken = this.#response.write(`id: ${epoch}:${seq}\ndata: ${JSON.stringify(stamped)}\n\n`)
    if (!isTaken) this.#isFull = true
  }

  /** What was written before goes out: a reader who gets nothing of what is sent at once would never come further. */
  readonly #cut = (): void => {
    this.#isClosed = true
    this.#response.socket?.destroySoon()
  }

  /** Who does not read gets no heartbeats either, or they would pile up. */
  #beat(): void {
    if (!this.#isFull) this.#response.write(': heartbeat\n\n')
  }
}

const HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache, no-transform',
  connection: 'keep-alive',
  'x-accel-buffering': 'no',
}

/** How many events of the log the reader has: all are sent to who knows another log, and notices. */
function firstAfter(place: Cursor | undefined, epoch: string): number {
  return place?.epoch === epoch ? place.seq : 0
}

/** What the browser says by itself when it connects again is newer than what the address says. */
function placeIn(request: IncomingMessage): Cursor | undefined {
  const header = request.headers['last-event-id']
  const text = typeof header === 'string' ? header : queryOf(request).get('after')
  const [, epoch, seq] = /^(.+):(\d{1,15})$/.exec(text ?? '') ?? []
  return epoch === undefined ? undefined : { epoch, seq: Number(seq) }
}

function queryOf(request: IncomingMessage): URLSearchParams {
  return new URLSearchParams((request.url ?? '').split('?')[1])
}
