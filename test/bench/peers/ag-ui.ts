import {
  AbstractAgent,
  type BaseEvent,
  defaultApplyEvents,
  EventType,
  type Message,
  type RunAgentInput,
} from '@ag-ui/client'
import { EMPTY, from, lastValueFrom, type Observable } from 'rxjs'
import { folding, type Peer } from './peer.ts'
import { calledTool, contentOf, type Item, TOOL } from './workload.ts'

const INPUT: RunAgentInput = {
  threadId: 'thread',
  runId: 'run',
  state: {},
  messages: [],
  tools: [],
  context: [],
  forwardedProps: {},
}

/** The fold takes the messages before the stream from an agent; nobody runs this one. */
class IdleAgent extends AbstractAgent {
  run(): Observable<BaseEvent> {
    return EMPTY
  }
}

export const agUi: Peer = {
  name: '@ag-ui/client',
  note: '`defaultApplyEvents` without subscribers: an rxjs pipeline with a promise for each event. It changes its messages in place and emits, after each event that changes any, a `structuredClone` of all of them, so that no subscriber shares them. Its schema validation and its check of the order of events are not included. An item is a message.',
  candidate: (workload) => {
    const agent = new IdleAgent({ initialMessages: workload.earlier.map(messageOf) })
    const events = workload.streamed.flatMap(eventsOf)
    const run = () => lastValueFrom(defaultApplyEvents(INPUT, from(events), agent, []))
    return folding(workload, run, ({ messages }) => saidInMessages(messages ?? []))
  },
}

function messageOf(item: Item): Message {
  return { id: item.id, role: 'assistant', content: contentOf(item) }
}

function eventsOf(item: Item): readonly BaseEvent[] {
  const { id } = item
  if (item.type === 'text')
    return [
      { type: EventType.TEXT_MESSAGE_START, messageId: id, role: 'assistant' },
      ...item.deltas.map((delta) => ({ type: EventType.TEXT_MESSAGE_CONTENT, messageId: id, delta })),
      { type: EventType.TEXT_MESSAGE_END, messageId: id },
    ]
  const call = { toolCallId: id }
  return [
    { type: EventType.TOOL_CALL_START, ...call, toolCallName: TOOL, parentMessageId: item.textId },
    { type: EventType.TOOL_CALL_ARGS, ...call, delta: JSON.stringify({ path: item.path }) },
    { type: EventType.TOOL_CALL_END, ...call },
    { type: EventType.TOOL_CALL_RESULT, ...call, messageId: `${id}:result`, content: contentOf(item) },
  ]
}

function saidInMessages(messages: readonly Message[]): readonly string[] {
  const results = new Map<string, unknown>()
  for (const message of messages)
    if (message.role === 'tool') results.set(message.toolCallId, message.content)
  return messages.flatMap((message) => {
    if (message.role !== 'assistant') return []
    const calls = (message.toolCalls ?? []).map((call) =>
      calledTool(call.function.name, JSON.parse(call.function.arguments), results.get(call.id)),
    )
    return [String(message.content), ...calls]
  })
}
