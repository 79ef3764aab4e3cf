import { hashUserMessage, identifyConversation, identifySession } from '../../src/entries/identity.ts'
import { reduceSessionEvents } from '../../src/entries/index.ts'
import { heading, table, time } from './gates.ts'
import { race } from './measure.ts'
import { stateOf } from './workloads.ts'

const AGENT_TYPE = hashUserMessage('agent type')

/** What it costs to tell who a conversation is, by its length. */
export async function benchIdentity(): Promise<void> {
  heading('Who a conversation is, by its length')
  const rows: string[][] = []
  for (const blocks of [10, 1_000, 100_000]) {
    const state = reduceSessionEvents(stateOf(blocks), [
      {
        type: 'subagent:spawned',
        toolUseId: 'call',
        prompt: 'Look into the matter and report what you have found.',
      },
    ])
    const times = await race({
      one: () => identifyConversation(state, { agentTypeHash: AGENT_TYPE, firstUserText: 'Begin.' }),
      all: () => identifySession(state, { agentTypeHash: AGENT_TYPE }),
    })
    rows.push([blocks.toLocaleString('en-US'), time(times.one), time(times.all)])
  }
  table(['blocks', '`identifyConversation`', '`identifySession`, with a subagent'], rows)
}
