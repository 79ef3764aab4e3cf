import { omitUndefined } from '../../../src/core/json/fields.ts'
import {
  computeConversationHash,
  hashFirstAssistantResponse,
  hashUserMessage,
} from '../../../src/entries/identity.ts'
import {
  type AgentEntry,
  type AgentEvent,
  type AgentIssue,
  type AgentRegistry,
  createAgentRegistry,
  stepAgentEvent,
} from '../../../src/entries/lineage.ts'

type Of<Type extends AgentEvent['type']> = Extract<AgentEvent, { type: Type }>
/** Undefined fields are left out of the event. */
type Rest<Type extends AgentEvent['type']> = {
  readonly [Field in keyof Of<Type>]?: Of<Type>[Field] | undefined
}

export function started(agentId: string, at: number, rest: Rest<'agent:started'> = {}): AgentEvent {
  const firstUserMessageHash = hashUserMessage(`Do ${agentId}.`)
  return eventOf({ type: 'agent:started', agentId, at, agentTypeHash: 'type', firstUserMessageHash, ...rest })
}

export function spawning(agentId: string, at: number, rest: Rest<'agent:spawning'> = {}): AgentEvent {
  return eventOf({ type: 'agent:spawning', agentId, at, expectedChildAgentName: 'recon', ...rest })
}

/** A call in the answer of a request. */
export function spawningIn(requestId: string, ...call: Parameters<typeof spawning>): AgentEvent {
  return eventOf({ ...spawning(...call), requestId })
}

export function completed(agentId: string, at: number, rest: Rest<'agent:completed'> = {}): AgentEvent {
  const responseText = `${agentId} is done.`
  return eventOf({
    type: 'agent:completed',
    agentId,
    at,
    inputTokens: 10,
    outputTokens: 2,
    responseText,
    ...rest,
  })
}

export function failed(agentId: string, at: number, rest: Rest<'agent:failed'> = {}): AgentEvent {
  return eventOf({ type: 'agent:failed', agentId, at, ...rest })
}

/** A request whose gateway is gone. */
export function lost(agentId: string, at: number, requestId: string): AgentEvent {
  return eventOf({ ...failed(agentId, at, { requestId }), isLost: true })
}

export function tick(at: number): AgentEvent {
  return { type: 'clock:advanced', at }
}

function eventOf(event: { readonly [Field in string]: unknown }): AgentEvent {
  return omitUndefined(event) as unknown as AgentEvent
}

interface Ran {
  readonly registry: AgentRegistry
  readonly issues: readonly AgentIssue[]
}

export function run(...events: readonly AgentEvent[]): Ran {
  return runFrom(createAgentRegistry(), events)
}

export function runFrom(registry: AgentRegistry, events: readonly AgentEvent[]): Ran {
  return events.reduce<Ran>(
    (before, event) => {
      const step = stepAgentEvent(before.registry, event)
      return { registry: step.registry, issues: [...before.issues, ...step.issues] }
    },
    { registry, issues: [] },
  )
}

export function agentIn({ agents }: AgentRegistry, id: string): AgentEntry | undefined {
  return agents.find((agent) => agent.id === id)
}

/** The parent of each agent, by id. */
export function parentsIn({ agents }: AgentRegistry): Readonly<Record<string, string | undefined>> {
  return Object.fromEntries(agents.map(({ id, parentAgentId }) => [id, parentAgentId]))
}

export function hashOf(id: string, text = `${id} is done.`): string {
  return computeConversationHash('type', hashUserMessage(`Do ${id}.`), hashFirstAssistantResponse(text))
}
