import {
  type AgentSubscriber,
  defaultApplyEvents,
  HttpAgent,
  type Message,
  type RunAgentInput,
  verifyEvents,
} from '@ag-ui/client'
import type { BaseEvent } from '@ag-ui/core'
import { EventSchemas } from '@ag-ui/core/schemas'
import { from, lastValueFrom, tap, toArray } from 'rxjs'
import { isObject, parseJson } from '../../../src/core/json/values.ts'
import type { AgUiEvent, AgUiMessage, AgUiSharedState } from '../../../src/entries/ag-ui.ts'
import { toAgUiMessages, toAgUiState } from '../../../src/entries/ag-ui.ts'
import type { SessionConversationState } from '../../../src/entries/index.ts'

/** The messages and the shared state of a client, and the agents that its subscribers saw. */
export interface Seen {
  readonly conversations: Readonly<Record<string, readonly unknown[]>>
  readonly state: unknown
  readonly interrupts: readonly unknown[]
}

const EMPTY: AgUiSharedState = { todos: [], requests: [], agents: [] }

/** Reads events as the client of AG-UI does. It throws for events that the protocol forbids. */
export async function readEvents(events: readonly AgUiEvent[]): Promise<Seen> {
  const agent = new HttpAgent({ url: 'http://localhost' })
  const input: RunAgentInput = {
    threadId: 't',
    runId: 'r',
    state: EMPTY,
    messages: [],
    tools: [],
    context: [],
    forwardedProps: {},
  }
  let messages: readonly Message[] = []
  let state: unknown = EMPTY
  const subscribers: AgentSubscriber[] = []
  const verified = from(throughWire(events)).pipe(verifyEvents(false))
  const updates = defaultApplyEvents(input, verified, agent, subscribers, false).pipe(
    tap((update) => {
      messages = update.messages ?? messages
      state = update.state ?? state
    }),
    toArray(),
  )
  await lastValueFrom(updates)
  return { conversations: byConversation(messages), state, interrupts: agent.pendingInterrupts }
}

/** Returns what a client of the whole state has. */
export function seenInState(state: SessionConversationState): Omit<Seen, 'interrupts'> {
  return { conversations: byConversation(toAgUiMessages(state)), state: toAgUiState(state) }
}

/** Returns the events as a client gets them. Each has to pass the protocol's schema. */
export function throughWire(events: readonly AgUiEvent[]): readonly BaseEvent[] {
  return events.map((event) => {
    const received: BaseEvent = JSON.parse(JSON.stringify(event))
    EventSchemas.parse(received)
    return received
  })
}

function byConversation(messages: readonly (Message | AgUiMessage)[]): Seen['conversations'] {
  const lists: Record<string, unknown[]> = {}
  for (const message of messages) {
    const key = `of ${message.subagentRunId ?? 'main'}`
    lists[key] = [...(lists[key] ?? []), withParsedArguments(message)]
  }
  return lists
}

/** The program's own JSON text of a call may have spaces. */
function withParsedArguments(message: Message | AgUiMessage): unknown {
  if (!('toolCalls' in message) || !message.toolCalls) return message
  const toolCalls = message.toolCalls.map((call) => {
    const { name, arguments: text } = call.function
    const parsed = parseJson(text)
    return { ...call, function: { name, arguments: isObject(parsed) ? parsed : text } }
  })
  return { ...message, toolCalls }
}
