import {
  getStaticToolName,
  isStaticToolUIPart,
  isTextUIPart,
  readUIMessageStream,
  type UIMessage,
  type UIMessageChunk,
} from 'ai'
import { folding, lastOf, type Peer, streamOf } from './peer.ts'
import { calledTool, contentOf, type Item, TOOL } from './workload.ts'

export const aiSdk: Peer = {
  name: 'ai',
  note: '`readUIMessageStream`: a `ReadableStream` piped through a `TransformStream`, another such pair for the messages, and promises for each chunk. It changes its message in place and emits, after each chunk that changes it, a `structuredClone` of it. It folds one message: an item is a part, as in the one long answer of an agent that works by itself. Messages before that one are not its business, so a chat of many short ones costs what the first column says.',
  candidate: (workload) => {
    const parts = workload.earlier.map(
      (item) => ({ type: 'text', text: contentOf(item), state: 'done' }) as const,
    )
    const chunks = workload.streamed.flatMap(chunksOf)
    const run = () => {
      // The message is changed in place, and the next run begins with the same one.
      const message: UIMessage = { id: 'message', role: 'assistant', parts: [...parts] }
      return lastOf(readUIMessageStream({ message, stream: streamOf(chunks), terminateOnError: true }))
    }
    return folding(workload, run, saidInParts)
  },
}

function chunksOf(item: Item): readonly UIMessageChunk[] {
  const { id } = item
  if (item.type === 'text')
    return [
      // A step ends with its calls: without them the fold would search all parts for the call's.
      { type: 'start-step' },
      { type: 'text-start', id },
      ...item.deltas.map((delta) => ({ type: 'text-delta', id, delta }) as const),
      { type: 'text-end', id },
    ]
  return [
    { type: 'tool-input-available', toolCallId: id, toolName: TOOL, input: { path: item.path } },
    { type: 'tool-output-available', toolCallId: id, output: contentOf(item) },
    { type: 'finish-step' },
  ]
}

function saidInParts({ parts }: UIMessage): readonly string[] {
  return parts.flatMap((part) => {
    if (isTextUIPart(part)) return [part.text]
    if (!isStaticToolUIPart(part)) return []
    return [calledTool(getStaticToolName(part), part.input, part.output)]
  })
}
