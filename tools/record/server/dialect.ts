import type { JsonObject } from '../../../src/core/json/values.ts'

/** What the server knows of a request, whichever API it came by. */
export interface ModelRequest {
  readonly model: string
  readonly streams: boolean
  /** The texts of the person, and of the program in the person's name, in order. */
  readonly users: readonly string[]
  /** The model's own earlier words and the ids of its calls: they show which agent asks. */
  readonly marks: readonly string[]
  readonly results: readonly { readonly id: string; readonly text: string }[]
  readonly tools: readonly string[]
}

/** A call as the program's tool takes it. `isText` is of a tool whose input is a text. */
export interface WireCall {
  readonly id: string
  readonly name: string
  readonly input: unknown
  readonly isText?: boolean
  readonly namespace?: string
}

/** Tokens of a request. `input` has neither those that were read from the cache nor those that were written to it. */
export interface Tokens {
  readonly input: number
  readonly output: number
  readonly cacheRead: number
  readonly cacheWrite: number
  readonly reasoning: number
}

/** A reply, ready for the wire. */
export interface WireReply {
  readonly id: string
  readonly model: string
  readonly think?: string
  readonly say?: string
  readonly calls: readonly WireCall[]
  readonly tokens: Tokens
}

/** A piece of a streamed reply, and the word of the text in it. */
export interface Piece {
  readonly frame: string
  readonly word?: string
}

/** An API of model providers. */
export interface Dialect {
  /** Whether a request to the path asks the model. */
  readonly asks: (path: string) => boolean
  readonly read: (body: JsonObject, path: string) => ModelRequest
  readonly stream: (reply: WireReply) => Iterable<Piece>
  readonly whole: (reply: WireReply) => object
  readonly error: (status: number, message: string) => object
}

/** Returns a text in words with the spaces after them. */
export function wordsOf(text = ''): readonly string[] {
  return text.match(/\s*\S+\s*/g) ?? []
}

/** Returns a server-sent event with data alone. */
export function dataFrame(data: unknown): string {
  return `data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`
}

/** Returns a server-sent event whose name is the type of its data. */
export function namedFrame(data: { readonly type: string; readonly [field: string]: unknown }): string {
  return `event: ${data.type}\n${dataFrame(data)}`
}

/** Returns the texts of a content: a string, or a list of parts. */
export function textIn(content: unknown): string {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return ''
  return content
    .map((part) => (typeof part?.text === 'string' ? part.text : textIn(part?.content)))
    .join('\n')
}
