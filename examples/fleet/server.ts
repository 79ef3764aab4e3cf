import { createServer, type ServerResponse } from 'node:http'
import process from 'node:process'
import { createInitialConversationState } from 'agentfold'
import { LogError, type SessionLog } from 'agentfold/log'
import { createRedisLog } from 'agentfold/redis'
import { snapshot } from 'agentfold/sync'
import { createClient } from 'redis'
import { bundle } from '../bundle.ts'
import { listen } from '../listen.ts'
import { SESSIONS } from './sessions.ts'

const PAGE = `<!doctype html><html lang="en"><meta charset="utf-8"><title>A fleet</title>
<body></body><script type="module" src="/client.js"></script></html>`

/** Serves pages that follow the log. It has no state of its own, so a page may go on with any server. */
export async function runServer(url: string): Promise<void> {
  const client = await createClient({ url }).on('error', report).connect()
  const log = createRedisLog(client)
  const script = await bundle('fleet/client.tsx')
  const server = createServer((request, response) => {
    const [path = '', query] = (request.url ?? '/').split('?')
    const [, name = '', id = ''] = path.split('/')
    const after = Number(request.headers['last-event-id'] ?? new URLSearchParams(query).get('after') ?? 0)
    if (name === '') response.setHeader('content-type', 'text/html').end(PAGE)
    else if (name === 'client.js') response.setHeader('content-type', 'text/javascript').end(script)
    else if (name === 'sessions') response.end(JSON.stringify(SESSIONS))
    else if (name === 'snapshot') void sendSnapshot(log, id, response).catch(report)
    else if (name === 'events') void sendEvents(log, { id, after }, response).catch(report)
    else response.writeHead(404).end()
  })
  process.send?.(await listen(server))
  process.once('disconnect', () => process.exit(0))
}

async function sendSnapshot(log: SessionLog, id: string, response: ServerResponse): Promise<void> {
  const empty = snapshot({ state: createInitialConversationState(), epoch: id, seq: 0 })
  response.end(JSON.stringify((await log.loadSnapshot(id)) ?? empty))
}

async function sendEvents(
  log: SessionLog,
  { id, after }: { readonly id: string; readonly after: number },
  response: ServerResponse,
): Promise<void> {
  const stop = new AbortController()
  response.on('close', () => stop.abort())
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  try {
    for await (const { seq, event } of log.follow(id, after, stop))
      response.write(`id: ${seq}\ndata: ${JSON.stringify({ epoch: id, seq, event })}\n\n`)
  } catch (error) {
    // The log has dropped or lost events that the page has: a page that reloads begins with the snapshot.
    if (error instanceof LogError) response.write('event: reset\ndata: reload\n\n')
    throw error
  } finally {
    response.end()
  }
}

function report(error: unknown): void {
  process.stderr.write(`${error}\n`)
}
