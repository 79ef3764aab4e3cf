import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Cursor, StampedEvent } from '../../sync/sequence.ts'
import type { ServedLog } from './served-log.ts'

/**
 * Delivers an event to a reader. `write` sends it and may be called late or several times. `cut` breaks the connection. Both are the
 * same functions for all events of a connection.
 */
export type Transport = (
  stamped: StampedEvent,
  write: (stamped: StampedEvent) => void,
  cut: () => void,
) => void

export interface EventStreamOptions {
  readonly transport: Transport
  /** The time between two comments that keep proxies from closing the connection, in ms. */
  readonly heartbeatMs: number
}

/** Sends the past and future events of a log after a place as server-sent events. */
export class EventStream {
  readonly #log: ServedLog
  readonly #response: ServerResponse
  readonly #transport: Transport
  readonly #heartbeatMs: number
  #epoch: string
  #next: number
  #isFull = false
  #isClosed = false

  constructor(
    log: ServedLog,
    request: IncomingMessage,
    response: ServerResponse,
    options: EventStreamOptions,
  ) {
    this.#log = log
    this.#response = response
    this.#transport = options.transport
    this.#epoch = log.epoch
    this.#next = firstAfter(placeIn(request), log.epoch)
    this.#heartbeatMs = options.heartbeatMs
  }

  /** Sends events until the reader or the server ends the connection. */
  open(): void {
    const response = this.#response
    response.writeHead(200, HEADERS)
    this.#nameLog()
    const heartbeat = setInterval(() => this.#sendHeartbeat(), this.#heartbeatMs)
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

  /** Events for a slow reader wait in the log, not in the memory of the connection. */
  readonly #send = (): void => {
    if (this.#epoch !== this.#log.epoch && !this.#isClosed) this.#startAgain()
    while (!this.#isFull && !this.#isClosed) {
      const stamped = this.#log.stamped[this.#next]
      if (!stamped) return
      this.#next += 1
      this.#transport(stamped, this.#write, this.#cut)
    }
  }

  #startAgain(): void {
    this.#epoch = this.#log.epoch
    this.#next = 0
    this.#nameLog()
  }

  /** A page with another log must notice the new log before its first event. */
  #nameLog(): void {
    this.#response.write(`event: log\ndata: ${this.#epoch}\n\n`)
  }

  readonly #write = (stamped: StampedEvent): void => {
    if (this.#isClosed) return
    const { epoch, seq } = stamped
    const hasRoom = this.#response.write(`id: ${epoch}:${seq}\ndata: ${this.#log.jsonOf(stamped)}\n\n`)
    if (!hasRoom) this.#isFull = true
  }

  /** Sends the written events first. Otherwise a reader whose connection breaks often never makes progress. */
  readonly #cut = (): void => {
    this.#isClosed = true
    this.#response.socket?.destroySoon()
  }

  /** Skips readers that do not read, so that heartbeats do not pile up. */
  #sendHeartbeat(): void {
    if (!this.#isFull) this.#response.write(': heartbeat\n\n')
  }
}

const HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache, no-transform',
  connection: 'keep-alive',
  'x-accel-buffering': 'no',
}

/** Returns the index of the first event to send. A reader with another log gets all events, and notices the new log. */
function firstAfter(place: Cursor | undefined, epoch: string): number {
  return place?.epoch === epoch ? place.seq : 0
}

/** Prefers the browser's header to the address: after a reconnect, the header has the newer place. */
function placeIn(request: IncomingMessage): Cursor | undefined {
  const header = request.headers['last-event-id']
  const text = typeof header === 'string' ? header : queryOf(request).get('after')
  const [, epoch, seq] = /^(.+):(\d{1,15})$/.exec(text ?? '') ?? []
  return epoch === undefined ? undefined : { epoch, seq: Number(seq) }
}

function queryOf(request: IncomingMessage): URLSearchParams {
  return new URLSearchParams((request.url ?? '').split('?')[1])
}
