import process from 'node:process'
import { createSessionHub } from 'agentfold/hub'
import { nodeHandler } from 'agentfold/node'
import { createRedisLog } from 'agentfold/redis'
import { createClient } from 'redis'
import { listen } from '../listen.ts'
import { pageServer } from '../page-server.ts'

/** Serves pages that follow the log. The server has no state of its own, so a page may go on with any server. */
export async function runServer(url: string): Promise<void> {
  const client = await createClient({ url }).on('error', report).connect()
  const handle = nodeHandler(createSessionHub({ log: createRedisLog(client) }), { onError: report })
  const server = await pageServer('fleet/client.tsx', { title: 'A fleet', handle })
  process.send?.(await listen(server))
  process.once('disconnect', () => process.exit(0))
}

function report(error: unknown): void {
  process.stderr.write(`${error}\n`)
}
