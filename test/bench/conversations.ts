import { appendMessage, type ConversationLog, createConversationLog } from '../../src/index.ts'

/** What a message costs beside so many conversations that are retained: one that goes on, one that begins another and drops one. */
const RETAINED = [100, 1_000, 10_000, 100_000]
const RUNS = 2_000
const MINUTE = 60_000

const chats = RETAINED.map((retained) => ({ retained, log: chat(retained), going: 0, begun: 0 }))
for (let run = 0; run < RUNS; run += 1)
  for (const each of chats) {
    // The same log again and again: a message that goes on, and one that ends a conversation and begins the next.
    each.going += timeOf(() => append(each.log, each.retained, each.retained * 31))
    each.begun += timeOf(() => append(each.log, each.retained, each.retained * 31 + 100))
  }
for (const { retained, going, begun } of chats)
  process.stdout.write(
    `${String(retained).padStart(8)} conversations: ${(going / RUNS).toFixed(2)} µs a message, ${(begun / RUNS).toFixed(2)} µs where it begins another\n`,
  )

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

/** In µs. */
function timeOf(work: () => void): number {
  const start = performance.now()
  work()
  return 1000 * (performance.now() - start)
}
