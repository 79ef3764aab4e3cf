import { onTestFinished } from 'vitest'
import { type ConnectHubOptions, connectHub, type HubConnection } from '../../../src/entries/sync.ts'

/** A hub, or the server that is in its place after a restart. */
interface Server {
  fetch(request: Request): Promise<Response>
}

/** A page that is connected to a hub over a wire that a test can cut or silence. */
export function hubPage(server: () => Server, options: ConnectHubOptions = {}) {
  const requests: string[] = []
  const wires = new Set<AbortController>()
  let isSilent = false
  const send = async (url: string, init: RequestInit = {}): Promise<Response> => {
    requests.push(`${init.method ?? 'GET'} ${url}`)
    const wire = new AbortController()
    init.signal?.addEventListener('abort', () => wire.abort())
    wires.add(wire)
    const { signal: _, ...rest } = init
    const response = await server().fetch(new Request(`http://hub.example${url}`, rest))
    const reader = response.body?.getReader()
    wire.signal.addEventListener('abort', () => {
      wires.delete(wire)
      void reader?.cancel()
    })
    if (wire.signal.aborted) throw new TypeError('cut')
    const body = new ReadableStream<Uint8Array>({
      async pull(controller) {
        const { done, value } = (await reader?.read()) ?? { done: true }
        if (wire.signal.aborted) controller.error(new TypeError('cut'))
        else if (done) controller.close()
        else if (!(isSilent && wires.has(wire) && stuck.has(wire))) controller.enqueue(value)
      },
      cancel: () => reader?.cancel(),
    })
    return new Response(body, response)
  }
  const stuck = new Set<AbortController>()
  const hub: HubConnection = connectHub('/sessions', { fetch: send, ...options })
  onTestFinished(() => hub.close())
  return {
    hub,
    requests,
    cut: () => {
      for (const wire of wires) wire.abort()
    },
    /** The open connections give nothing any more, and no error. New ones work. */
    freeze: () => {
      isSilent = true
      for (const wire of wires) stuck.add(wire)
    },
  }
}
