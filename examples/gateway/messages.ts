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

/** Reads the JSON of a request. */
export async function readJson(request: IncomingMessage): Promise<ModelRequest> {
  const chunks: Uint8Array[] = []
  for await (const chunk of request) chunks.push(chunk)
  return JSON.parse(Buffer.concat(chunks).toString())
}

/** Returns the text of a message, without calls and results. */
export function textOf(content: Message['content']): string {
  if (typeof content === 'string') return content
  return content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n')
}
