import {
  appendMessage,
  type ConversationLog,
  createConversationLog,
} from '../../src/entries/conversations.ts'
import { heading, table, time } from './gates.ts'
import { race } from './measure.ts'

const RETAINED = [100, 1_000, 10_000, 100_000]
const MINUTE = 60_000

/** What a message costs beside so many conversations that are retained: one that goes on, one that begins another and drops one. */
export async function benchConversations(): Promise<void> {
  heading('A message, by how many conversations are retained')
  const rows: string[][] = []
  for (const retained of RETAINED) {
    const log = chat(retained)
    const times = await race({
      going: () => append(log, retained, retained * 31),
      begun: () => append(log, retained, retained * 31 + 100),
    })
    rows.push([retained.toLocaleString('en-US'), time(times.going), time(times.begun)])
  }
  table(['conversations', 'a message that goes on', 'one that begins another, and drops one'], rows)
}

function chat(count: number): ConversationLog {
  let log = createConversationLog()
  for (let each = 0; each <= count; each += 1) log = append(log, count, each * 31)
  return log
}

function append(log: ConversationLog, retained: number, minutes: number): ConversationLog {
  const timestamp = new Date(minutes * MINUTE).toISOString()
  const message = { id: `m${minutes}`, timestamp, role: 'user', content: 'Hello.' } as const
  return appendMessage(log, message, { maxConversationsRetained: retained }).log
}
