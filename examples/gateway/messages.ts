import type { IncomingMessage } from 'node:http'

/** The part of a model API's messages that the example uses. */
export type Content =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'tool_use'; readonly id: string; readonly name: string; readonly input: object }
  | { readonly type: 'tool_result'; readonly tool_use_id: string; readonly content: string }

export interface Message {
  readonly role: 'user' | 'assistant'
  readonly content: string | readonly Content[]
}

export interface ModelRequest {
  readonly model: string
  readonly system: string
  readonly tools: readonly { readonly name: string }[]
  readonly messages: readonly Message[]
}

export interface ModelResponse {
  readonly content: readonly Content[]
  readonly usage: { readonly input_tokens: number; readonly output_tokens: number }
}

/** Reads the request of an agent. Undefined if the body is no JSON or no such request. */
export async function readRequest(request: IncomingMessage): Promise<ModelRequest | undefined> {
  const chunks: Uint8Array[] = []
  for await (const chunk of request) chunks.push(chunk)
  const asked = parse(Buffer.concat(chunks).toString())
  return isModelRequest(asked) ? asked : undefined
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function isModelRequest(value: unknown): value is ModelRequest {
  const { system, tools, messages } = Object(value)
  if (typeof system !== 'string' || !Array.isArray(tools) || !Array.isArray(messages)) return false
  return tools.every((tool) => typeof Object(tool).name === 'string') && messages.every(isMessage)
}

function isMessage(value: unknown): value is Message {
  const { role, content } = Object(value)
  const isContent = typeof content === 'string' || Array.isArray(content)
  return (role === 'user' || role === 'assistant') && isContent
}

/** Returns the text of a message, without calls and results. */
export function textOf(content: Message['content']): string {
  if (typeof content === 'string') return content
  return content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n')
}
