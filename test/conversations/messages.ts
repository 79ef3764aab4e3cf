import fc from 'fast-check'
import {
  type AppendedMessage,
  appendMessage,
  type Conversation,
  type ConversationLog,
  type ConversationMessage,
  type ConversationSettings,
  createConversationLog,
} from '../../src/entries/conversations.ts'

const START = Date.parse('2026-02-04T10:00:00.000Z')

/** Returns the time `minutes` after ten o'clock. */
export function at(minutes: number): string {
  return new Date(START + minutes * 60_000).toISOString()
}

export function message(
  id: string,
  minutes: number,
  rest: Partial<ConversationMessage> = {},
): ConversationMessage {
  return { id, timestamp: at(minutes), role: 'user', content: `${id}.`, ...rest }
}

/** Appends the messages and returns the log and the result of each append. */
export function chat(
  messages: readonly ConversationMessage[],
  settings: ConversationSettings = {},
  log: ConversationLog = createConversationLog(),
): { readonly log: ConversationLog; readonly steps: readonly AppendedMessage[] } {
  const steps: AppendedMessage[] = []
  let last = log
  for (const each of messages) {
    const step = appendMessage(last, each, settings)
    last = step.log
    steps.push(step)
  }
  return { log: last, steps }
}

/** All conversations of a log as lists of the ids of their messages, the active one last. */
export function outline({ ended, active }: ConversationLog): readonly (readonly string[])[] {
  return [...ended.chunks.flat(), ...(active ? [active] : [])].map(idsIn)
}

export function idsIn({ messages }: Conversation): readonly string[] {
  return messages.map(({ id }) => id)
}

/** Returns lists nested in lists, `levels` deep. */
export function nested(levels: number): unknown {
  let value: unknown = []
  for (let level = 1; level < levels; level += 1) value = [value]
  return value
}

/** Messages in any order of time, with ids that may be taken. */
export const anyMessage: fc.Arbitrary<ConversationMessage> = fc
  .record({
    id: fc.constantFrom('a', 'b', 'c', '__proto__', ''),
    minutes: fc.oneof(fc.integer({ min: 0, max: 200 }), fc.constantFrom(0, 30, 60)),
    role: fc.constantFrom('user' as const, 'assistant' as const),
    content: fc.string({ maxLength: 3 }),
    toolsUsed: fc.option(fc.array(fc.constantFrom('Read', 'Bash'), { maxLength: 2 }), { nil: undefined }),
  })
  .map(({ id, minutes, role, content, toolsUsed }) =>
    message(id, minutes, toolsUsed ? { role, content, toolsUsed } : { role, content }),
  )

export const someMessages: fc.Arbitrary<readonly ConversationMessage[]> = fc.array(anyMessage, {
  maxLength: 25,
})
