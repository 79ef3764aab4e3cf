import type { ConversationBlock } from '../../../src/entries/index.ts'
import { piSource } from '../../../src/wires/pi/source.ts'

const START = Date.parse('2026-01-01T00:00:00.000Z')

/** Returns the time of a message. Times make the ids of messages. */
export const timeAt = (second: number): number => START + 1000 * second

export const user = (second: number, text: string) => ({
  role: 'user',
  content: [{ type: 'text', text }],
  timestamp: timeAt(second),
})

export const assistant = (second: number, content: readonly unknown[], stopReason = 'stop') => ({
  role: 'assistant',
  content,
  model: 'm',
  usage: { input: 10, output: 1, cacheRead: 0, cacheWrite: 0, totalTokens: 11 },
  stopReason,
  timestamp: timeAt(second),
})

export const says = (second: number, text: string) => assistant(second, [{ type: 'text', text }])

export const calls = (second: number, id: string, name: string, input: unknown) =>
  assistant(second, [{ type: 'toolCall', id, name, arguments: input }], 'toolUse')

export const result = (second: number, id: string, name: string, fields: object) => ({
  role: 'toolResult',
  toolCallId: id,
  toolName: name,
  content: [{ type: 'text', text: 'done' }],
  isError: false,
  timestamp: timeAt(second),
  ...fields,
})

/** Returns an entry of a file. */
export const entry = (id: string, parentId: string | null, fields: object) => ({
  type: 'message',
  id,
  parentId,
  timestamp: '2026-01-01T00:00:00.000Z',
  ...fields,
})

/** Returns the two lines of a whole message in a stream. */
export const live = (message: object) => [
  { type: 'message_start', message },
  { type: 'message_end', message },
]

/** Returns the session after the messages, with its issues. */
export function read(messages: readonly unknown[]) {
  const { session, issues } = piSource.read(piSource.open(), messages)
  return { state: session.state, issues, end: piSource.end(session) }
}

/** Returns the texts of blocks. */
export const textsOf = (blocks: readonly ConversationBlock[]): readonly string[] =>
  blocks.flatMap((block) => ('content' in block && typeof block.content === 'string' ? [block.content] : []))
