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

/** The path to the part of a request that is wrong. */
export type Path = readonly (string | number)[]

/** A longer body is refused. In bytes. */
const MAX_BODY = 33_554_432

/**
 * Reads the request of an agent, or returns the path to what is wrong. The path is empty if the body is no JSON, or too
 * large: then it is read to its end, and not kept.
 */
export async function readRequest(
  request: IncomingMessage,
): Promise<{ readonly asked: ModelRequest } | { readonly path: Path; readonly isTooLarge?: true }> {
  let chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of request) {
    size += chunk.length
    if (size > MAX_BODY) chunks = []
    else chunks.push(chunk)
  }
  if (size > MAX_BODY) return { path: [], isTooLarge: true }
  const asked = parse(Buffer.concat(chunks).toString())
  return isModelRequest(asked) ? { asked } : { path: wrongPart(asked) ?? [] }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function isModelRequest(value: unknown): value is ModelRequest {
  return wrongPart(value) === undefined
}

function wrongPart(value: unknown): Path | undefined {
  if (typeof value !== 'object' || value === null) return []
  const { system, tools, messages } = Object(value)
  if (typeof system !== 'string') return ['system']
  if (!Array.isArray(tools)) return ['tools']
  const tool = tools.findIndex((each) => !isToolName(Object(each).name))
  if (tool >= 0) return ['tools', tool, 'name']
  if (!Array.isArray(messages)) return ['messages']
  const message = messages.findIndex((each) => !isMessage(each))
  return message < 0 ? undefined : ['messages', message]
}

/** A list of names is joined with `|` before it is hashed. */
function isToolName(name: unknown): boolean {
  return typeof name === 'string' && /^[^|]+$/.test(name)
}

function isMessage(value: unknown): boolean {
  const { role, content } = Object(value)
  const isContent = typeof content === 'string' || (Array.isArray(content) && content.every(isPart))
  return (role === 'user' || role === 'assistant') && isContent
}

/** A provider has more types of parts. They pass the gateway as they are. */
function isPart(value: unknown): boolean {
  const { type, text, id, name, input, tool_use_id } = Object(value)
  if (type === 'text') return typeof text === 'string'
  if (type === 'tool_use')
    return typeof id === 'string' && typeof name === 'string' && Object(input) === input
  return type === 'tool_result' ? typeof tool_use_id === 'string' : typeof type === 'string'
}

/** Returns the text of a message, without calls and results. */
export function textOf(content: Message['content']): string {
  if (typeof content === 'string') return content
  return content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n')
}
