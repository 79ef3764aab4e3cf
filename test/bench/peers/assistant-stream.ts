import {
  type AssistantMessage,
  AssistantMessageAccumulator,
  type AssistantStreamChunk,
  unstable_createInitialMessage,
} from 'assistant-stream'
import { folding, lastOf, type Peer, streamOf } from './peer.ts'
import { calledTool, contentOf, type Item, TOOL } from './workload.ts'

export const assistantStream: Peer = {
  name: 'assistant-stream',
  note: '`AssistantMessageAccumulator`, a `TransformStream` behind a `ReadableStream`. It copies its message and the list of its parts for each chunk, freezes nothing, and notes the times of the stream. It folds one message: an item is a part, which chunks address by its position. Decoding a wire format is not included.',
  candidate: (workload) => {
    const initialMessage = messageOf(workload.earlier)
    const first = workload.earlier.length
    const chunks = workload.streamed.flatMap((item, at) => chunksOf(item, first + at))
    const run = () =>
      lastOf(streamOf(chunks).pipeThrough(new AssistantMessageAccumulator({ initialMessage })))
    return folding(workload, run, saidInParts)
  },
}

function messageOf(items: readonly Item[]): AssistantMessage {
  const message = unstable_createInitialMessage()
  message.parts.push(
    ...items.map(
      (item) =>
        ({ type: 'text', text: contentOf(item), status: { type: 'complete', reason: 'stop' } }) as const,
    ),
  )
  return message
}

function chunksOf(item: Item, position: number): readonly AssistantStreamChunk[] {
  const path = [position]
  if (item.type === 'text')
    return [
      { type: 'part-start', path, part: { type: 'text' } },
      ...item.deltas.map((textDelta) => ({ type: 'text-delta', path, textDelta }) as const),
      { type: 'part-finish', path },
    ]
  return [
    { type: 'part-start', path, part: { type: 'tool-call', toolCallId: item.id, toolName: TOOL } },
    { type: 'text-delta', path, textDelta: JSON.stringify({ path: item.path }) },
    { type: 'tool-call-args-text-finish', path },
    { type: 'result', path, result: contentOf(item), isError: false },
    { type: 'part-finish', path },
  ]
}

function saidInParts({ parts }: AssistantMessage): readonly string[] {
  return parts.flatMap((part) => {
    if (part.type === 'text') return [part.text]
    return part.type === 'tool-call' ? [calledTool(part.toolName, part.args, part.result)] : []
  })
}
