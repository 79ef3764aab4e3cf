import { connectSession, type SessionConnection } from '../../../src/entries/sync.ts'

/** A hub, or the server that is in its place after a restart. */
export interface Server {
  fetch(request: Request): Promise<Response>
}

/** A page that follows a session over a wire that a test can cut and slow down. */
export class Page {
  readonly connection: SessionConnection
  readonly errors: unknown[] = []
  /** The numbers of requests and of snapshots so far. */
  readonly counts = { requests: 0, snapshots: 0 }
  readonly #wires = new Set<AbortController>()
  #slow = Promise.resolve()
  #speedUp = (): void => {}

  constructor(server: () => Server, id = 's') {
    this.connection = connectSession(`http://hub.example/${id}`, {
      fetch: async (url) => {
        this.counts.requests += 1
        const wire = new AbortController()
        this.#wires.add(wire)
        return this.#wired(await server().fetch(new Request(url)), wire)
      },
      onError: (error) => this.errors.push(error),
    })
  }

  get state() {
    return this.connection.store.flush()
  }

  /** Breaks the connection. */
  cut(): void {
    for (const wire of this.#wires) wire.abort()
  }

  /** Stops reading until `speedUp`. */
  slowDown(): void {
    this.speedUp()
    this.#slow = new Promise((resolve) => {
      this.#speedUp = resolve
    })
  }

  speedUp(): void {
    this.#speedUp()
  }

  #wired(response: Response, wire: AbortController): Response {
    const reader = response.body?.getReader()
    if (wire.signal.aborted) throw new TypeError('cut')
    wire.signal.addEventListener('abort', () => {
      this.#wires.delete(wire)
      void reader?.cancel()
    })
    const body = new ReadableStream<Uint8Array>(
      {
        pull: async (controller) => {
          await this.#slow
          if (wire.signal.aborted) return controller.error(new TypeError('cut'))
          const { done = true, value } = (await reader?.read()) ?? {}
          if (wire.signal.aborted) controller.error(new TypeError('cut'))
          else if (done) controller.close()
          else if (value) {
            if (new TextDecoder().decode(value).startsWith('event: snapshot')) this.counts.snapshots += 1
            controller.enqueue(value)
          }
        },
        cancel: () => reader?.cancel(),
      },
      { highWaterMark: 0 },
    )
    return new Response(body, response)
  }
}
