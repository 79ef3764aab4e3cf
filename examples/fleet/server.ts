import { createServer } from 'node:http'
import process from 'node:process'
import { createSessionHub } from 'agentfold/hub'
import { nodeHandler } from 'agentfold/node'
import { createRedisLog } from 'agentfold/redis'
import { createClient } from 'redis'
import { bundle } from '../bundle.ts'
import { listen } from '../listen.ts'

const PAGE = `<!doctype html><html lang="en"><meta charset="utf-8"><title>A fleet</title>
<body></body><script type="module" src="/client.js"></script></html>`

/** Serves pages that follow the log. The server has no state of its own, so a page may go on with any server. */
export async function runServer(url: string): Promise<void> {
  const client = await createClient({ url }).on('error', report).connect()
  const log = createRedisLog(client)
  const answerSession = nodeHandler(createSessionHub({ log }), { onError: report })
  const script = await bundle('fleet/client.tsx')
  const server = createServer(async (request, response) => {
    if (request.url === '/') response.setHeader('content-type', 'text/html').end(PAGE)
    else if (request.url === '/client.js') response.setHeader('content-type', 'text/javascript').end(script)
    else if (request.url === '/sessions') {
      const ids: string[] = []
      for await (const id of log.sessions()) ids.push(id)
      response.end(JSON.stringify(ids.sort()))
    } else answerSession(request, response)
  })
  process.send?.(await listen(server))
  process.once('disconnect', () => process.exit(0))
}

function report(error: unknown): void {
  process.stderr.write(`${error}\n`)
}
