import type { ConversationBlock } from '../../../src/entries/index.ts'
import { qwenSource } from '../../../src/entries/qwen.ts'

// Lines of Qwen Code's stream, and records of its files.

export const common = { session_id: 's', parent_tool_use_id: null }
let lines = 0

export function uuid(): string {
  lines += 1
  return `line-${lines}`
}

export const init = {
  type: 'system',
  subtype: 'init',
  uuid: 's',
  session_id: 's',
  qwen_code_version: '0.24.4',
}

export function reply(content: readonly unknown[], output_tokens = 0) {
  const id = uuid()
  const message = {
    id,
    role: 'assistant',
    model: 'm',
    content,
    usage: { input_tokens: output_tokens, output_tokens },
  }
  return { type: 'assistant', uuid: id, ...common, message }
}

export const text = (words: string) => ({ type: 'text', text: words })
export const call = (id: string, name = 'read_file', input: object = {}) => ({
  type: 'tool_use',
  id,
  name,
  input,
})

export function result(tool_use_id: string, content: string, is_error = false) {
  const message = { role: 'user', content: [{ type: 'tool_result', tool_use_id, is_error, content }] }
  return { type: 'user', uuid: uuid(), ...common, message }
}

export const event = (value: object) => ({ type: 'stream_event', uuid: uuid(), ...common, event: value })
export const delta = (words: string) =>
  event({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: words } })
export const start = () =>
  event({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } })

export const read = (...messages: readonly unknown[]) => qwenSource.read(qwenSource.open(), messages)
export const words = (block: ConversationBlock) => ('content' in block ? block.content : block.type)

/** A line with the message of a person, or with the prompt of an agent. */
export function prompt(words: unknown, parent_tool_use_id: string | null = null) {
  return {
    type: 'user',
    uuid: uuid(),
    session_id: 's',
    parent_tool_use_id,
    message: { role: 'user', content: words },
  }
}

/** A prompt of the SDK's client, which has no id. */
export const sent = (content: unknown) => ({
  type: 'user',
  session_id: '',
  message: { role: 'user', content },
})

/** The end of a turn. */
export function done(words: string, facts: object = { subtype: 'success', is_error: false, num_turns: 1 }) {
  return { type: 'result', uuid: uuid(), session_id: 's', result: words, ...facts }
}

/** A line with the facts of a task. */
export const task = (subtype: string, data: object) => ({
  type: 'system',
  subtype,
  uuid: uuid(),
  ...common,
  data,
})

/** A record of a chat's file. */
export function record(id: string, parentUuid: string | null, rest: object) {
  return { uuid: id, parentUuid, sessionId: 's', ...rest }
}

/** A record with a text. */
export const says = (type: string, words: string) => ({ type, message: { parts: [{ text: words }] } })

/** A record of a whole reply, with its tokens. */
export function answers(parts: readonly object[], tokens: number) {
  return {
    type: 'assistant',
    message: { parts },
    usageMetadata: { promptTokenCount: tokens, candidatesTokenCount: tokens },
  }
}
