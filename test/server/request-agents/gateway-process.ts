import process from 'node:process'
import { createRedisRequestAgents } from '../../../src/entries/redis.ts'
import { connectTo } from '../log/faults/redis-server.ts'

/** What the test tells a gateway. */
export type GatewayTask = {
  readonly call: number
  readonly conversation: string
  readonly turns: number
  readonly hangs?: true
}

/** A gateway in a process of its own: it says the agent of each request, and then answers it. */
const [url = '', leaseMs = '30000'] = process.argv.slice(2)
const client = await connectTo(url)
const agents = createRedisRequestAgents(client, { tenant: 'test', leaseMs: Number(leaseMs) })

process.on('message', async ({ call, conversation, turns, hangs }: GatewayTask) => {
  const messages = Array.from({ length: turns }, (_, at) => [
    // All conversations begin with one prompt; their answers differ.
    { role: 'user', content: at === 0 ? 'Hello' : `Go on after ${at}` },
    { role: 'assistant', content: `Answer ${at} of ${conversation}` },
  ]).flat()
  const answer = messages.pop() ?? { role: 'assistant', content: '' }
  const open = await agents.begin({ system: 'You help.', messages })
  process.send?.({ call, agentId: open.agentId, isBegun: true })
  if (hangs) return
  const isKept = await agents.answered(open, answer)
  process.send?.({ call, agentId: open.agentId, isKept })
})
process.on('disconnect', () => process.exit(0))
