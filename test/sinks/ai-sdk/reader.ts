import * as ai6 from 'ai'
import * as ai7 from 'ai-next'
import type { SessionUIChunk, SessionUIMessage, UIMessageUpdate } from '../../../src/entries/ai-sdk.ts'

/** The two majors of the AI SDK that the output is for. */
export type Major = 6 | 7

/** The streams of the answers, and the messages of the person, in their order. */
type Messages = Map<string, SessionUIMessage | SessionUIChunk[]>

/** Reads the updates with the AI SDK's own reader, as they come over a wire. */
export async function readUpdates(
  major: Major,
  updates: readonly UIMessageUpdate[],
): Promise<readonly unknown[]> {
  const messages = [...collect(throughWire<readonly UIMessageUpdate[]>(updates)).values()]
  return Promise.all(messages.map((each) => (Array.isArray(each) ? readStream(major, each) : each)))
}

/** Returns the stream of each answer and the person's messages. A `start` begins an answer anew. */
function collect(updates: readonly UIMessageUpdate[]): Messages {
  let messages: Messages = new Map()
  for (const update of updates) {
    if (update.type === 'order') messages = inOrder(messages, update.messageIds)
    else if (update.type === 'message') messages.set(update.message.id, update.message)
    else {
      const { messageId, chunk } = update
      const chunks = messages.get(messageId)
      if (chunk.type !== 'start' && Array.isArray(chunks)) chunks.push(chunk)
      else messages.set(messageId, [chunk])
    }
  }
  return messages
}

function inOrder(messages: Messages, ids: readonly string[]): Messages {
  return new Map(
    ids.flatMap((id) => {
      const message = messages.get(id)
      return message ? [[id, message] as const] : []
    }),
  )
}

async function readStream(major: Major, chunks: readonly SessionUIChunk[]): Promise<unknown> {
  let last: unknown
  const errors: unknown[] = []
  const onError = (error: unknown) => void errors.push(error)
  const read =
    major === 6
      ? ai6.readUIMessageStream({ stream: streamOf<ai6.UIMessageChunk>(chunks), onError })
      : ai7.readUIMessageStream({ stream: streamOf<ai7.UIMessageChunk>(chunks), onError })
  for await (const message of read) last = message
  if (errors.length > 0) throw errors[0]
  return last
}

function streamOf<Chunk>(chunks: readonly unknown[]): ReadableStream<Chunk> {
  return new ReadableStream({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(throughWire<Chunk>(chunk))
      controller.close()
    },
  })
}

/** Throws unless the validators of both majors accept the messages. */
export async function expectValid(messages: readonly SessionUIMessage[]): Promise<void> {
  const copy = throughWire<readonly SessionUIMessage[]>(messages)
  await ai6.convertToModelMessages(await ai6.validateUIMessages({ messages: copy }))
  await ai7.convertToModelMessages(await ai7.validateUIMessages({ messages: copy }))
}

/** Returns the value as it comes over a wire. */
export function throughWire<Value>(value: unknown): Value {
  return JSON.parse(JSON.stringify(value))
}

/** Returns the messages as a reader of version 6 has them: it does not know the answers to approvals. */
export function withoutAnswers(messages: unknown): unknown {
  return JSON.parse(
    JSON.stringify(messages, (key, value) => {
      if (key === 'approval') return { id: value.id }
      return key === 'state' && value === 'approval-responded' ? 'approval-requested' : value
    }),
  )
}
