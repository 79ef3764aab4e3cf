import { createServer, type IncomingMessage, type Server } from 'node:http'
import {
  type AgentEvent,
  type AgentRegistry,
  answerEvents,
  createAgentRegistry,
  createRequestAgents,
  forgetAgents,
  reduceAgentEvent,
  requestEvent,
} from 'agentfold/lineage'
import { type ModelRequest, type ModelResponse, readRequest } from './messages.ts'

/** Passes requests on to a model API. From the requests alone it knows which agent started which. */
export class Gateway {
  readonly #modelUrl: string
  readonly #agents = createRequestAgents()
  readonly #listeners = new Set<(registry: AgentRegistry) => void>()
  #registry = createAgentRegistry()

  constructor(modelUrl: string) {
    this.#modelUrl = modelUrl
  }

  get registry(): AgentRegistry {
    return this.#registry
  }

  /** Calls the listener after each event. Returns the function that ends it. */
  subscribe(listener: (registry: AgentRegistry) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Asks the model, and reports what the request and its answer say about the agents. The signal aborts if the client hangs up. */
  async ask(asked: ModelRequest, signal: AbortSignal): Promise<ModelResponse> {
    const open = this.#agents.begin(asked)
    const { agentId } = open
    this.#emit({ ...requestEvent(agentId, asked, { at: Date.now() }), name: nameOf(asked) })
    try {
      const response = await fetch(this.#modelUrl, { method: 'POST', body: JSON.stringify(asked), signal })
      if (!response.ok) throw new Error(`the model answered with ${response.status}`)
      const answer: ModelResponse = await response.json()
      // The next request of the agent repeats the message.
      const message = { role: 'assistant', content: answer.content }
      this.#agents.answered(open, message)
      const events = answerEvents(agentId, { ...message, usage: answer.usage }, { at: Date.now() })
      for (const event of events) this.#emit(event)
      return answer
    } catch (error) {
      this.#agents.failed(open)
      this.#emit({ type: 'agent:failed', agentId, at: Date.now() })
      throw error
    }
  }

  /** Forgets the trees of agents that were over before the time (ms since the epoch), and their conversations. */
  forget(before: number): void {
    this.#update(forgetAgents(this.#registry, { before }))
    this.#agents.keepOnly(new Set(this.#registry.agents.map(({ id }) => id)))
  }

  #emit(event: AgentEvent): void {
    this.#update(reduceAgentEvent(this.#registry, event))
  }

  #update(registry: AgentRegistry): void {
    this.#registry = registry
    for (const listener of this.#listeners) listener(this.#registry)
  }
}

/** The first line of a system prompt names the agent. */
function nameOf({ system }: ModelRequest): string {
  return /^You are the (\S+)\./.exec(system)?.[1] ?? 'unknown'
}

const REQUEST = '{ model, system, tools, messages } as JSON'

/** Answers any request: a wrong one, or one that breaks off, must not end the process. */
async function answerTo(request: IncomingMessage, gateway: Gateway, signal: AbortSignal) {
  try {
    const read = await readRequest(request)
    if ('path' in read && read.isTooLarge) return { status: 413, body: { code: 'too-large', path: [] } }
    if ('path' in read)
      return { status: 400, body: { code: 'invalid-request', path: read.path, expected: REQUEST } }
    return { status: 200, body: await gateway.ask(read.asked, signal) }
  } catch (error) {
    const { code, path, message } = Object(error)
    if (code === 'too-deep') return { status: 400, body: { code, path, expected: message } }
    return { status: 502, body: { code: 'no-answer', path: [], message: String(error) } }
  }
}

/** Serves the model API at `/v1/messages`, and the registry after each change at `/registry`. All else is for `page`. */
export function gatewayServer(gateway: Gateway, page: Readonly<Record<string, string>>): Server {
  return createServer(async (request, response) => {
    const { url = '/' } = request
    if (url === '/v1/messages') {
      const hangUp = new AbortController()
      response.on('close', () => hangUp.abort())
      const { status, body } = await answerTo(request, gateway, hangUp.signal)
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    } else if (url === '/registry') {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      const send = (registry: AgentRegistry) => response.write(`data: ${JSON.stringify(registry)}\n\n`)
      send(gateway.registry)
      response.on('close', gateway.subscribe(send))
    } else {
      const type = url.endsWith('.js') ? 'text/javascript' : 'text/html'
      response.writeHead(url in page ? 200 : 404, { 'content-type': type }).end(page[url])
    }
  })
}
