import { isEqual } from '../../core/json/equal.ts'
import { omitUndefined } from '../../core/json/fields.ts'
import { assertNever } from '../../core/json/values.ts'
import { pendingRequests } from '../../core/selectors/requests.ts'
import {
  type AgentFacts,
  factsOfBlock,
  type PlainBlock,
  type WalkedAgent,
  type WalkStep,
  walkConversation,
} from '../../core/selectors/walk.ts'
import type { BlockOf } from '../../core/state/block.ts'
import { MAIN, type SessionConversationState } from '../../core/state/session.ts'
import { isFinal } from '../../core/state/subagent.ts'
import { childSessions } from './child-sessions.ts'
import { blockChunks, textContent } from './content.ts'
import {
  type AgentConversation,
  type AgentForm,
  type AnyNotification,
  type Conversation,
  infoOf,
  isAgentConversation,
  knowsChildSessions,
  notificationOf,
  planOf,
  type ReplayCapabilities,
  replayedAgent,
  type SessionUpdatesOptions,
  sessionIdOf,
  usageOf,
} from './conversation.ts'
import type {
  ChildSessionUpdate,
  SessionNotification,
  SessionUpdate,
  ToolCallContent,
  ToolCallEnd,
  ToolCallStart,
} from './messages.ts'
import { type CallFacts, toolCall, unknownCall } from './tool-call.ts'

/**
 * Returns a session as the `params` of the `session/update` notifications that an ACP agent sends while it answers
 * `session/load`. They are valid for ACP's protocol version 1.
 *
 * If the client knows child sessions (its capability `subagents`), each agent is a child session with all its work.
 * Otherwise the agents' tool calls are in the main session, after the call of their agent.
 * `_meta.claudeCode.parentToolUseId` names that call, as in Claude's agent. The texts of agents are not sent then,
 * because a client would show them as those of the main conversation.
 *
 * Throws a `TypeError` if neither the options nor the state have a session id, and a `RangeError` if `contextWindow`
 * is no whole number from 1.
 */
export function toSessionUpdates(
  state: SessionConversationState,
  options?: SessionUpdatesOptions<{
    readonly subagents?: null | undefined
    readonly [name: string]: unknown
  }>,
): SessionNotification[]
/** For a client that may know child sessions. */
export function toSessionUpdates(
  state: SessionConversationState,
  options?: SessionUpdatesOptions<ReplayCapabilities>,
): SessionNotification<SessionUpdate | ChildSessionUpdate>[]
export function toSessionUpdates(
  state: SessionConversationState,
  options: SessionUpdatesOptions = {},
): SessionNotification<SessionUpdate | ChildSessionUpdate>[] {
  return new Replay(state, options).notifications()
}

/** Writes the notifications of one session. */
class Replay {
  readonly #state: SessionConversationState
  readonly #options: SessionUpdatesOptions
  readonly #agents: AgentForm
  readonly #callFacts: CallFacts
  readonly #main: Conversation
  /** The conversations of the agents on the way from main to the current one. */
  readonly #open: AgentConversation[] = []
  readonly #out: AnyNotification[] = []

  constructor(state: SessionConversationState, options: SessionUpdatesOptions) {
    const sessionId = sessionIdOf(state, options)
    const waiting = new Set(pendingRequests(state).map(({ block }) => block.toolUseId))
    this.#state = state
    this.#options = options
    this.#agents = knowsChildSessions(options) ? childSessions(sessionId) : flatAgents
    this.#callFacts = {
      cwd: state.session.cwd,
      isWaiting: (toolUseId) => waiting.has(toolUseId),
    }
    this.#main = { sessionId, calls: new Map() }
  }

  notifications(): AnyNotification[] {
    this.#send(this.#main, infoOf(this.#state, this.#options))
    let isAbandoned = false
    for (const step of walkConversation(this.#state)) {
      if (step.type === 'branch' || step.type === 'branch-end') isAbandoned = step.type === 'branch'
      else if (!isAbandoned) this.#step(step)
    }
    this.#send(this.#main, planOf(this.#state))
    this.#send(this.#main, usageOf(this.#state, this.#options))
    return this.#out
  }

  #step(step: Exclude<WalkStep, { readonly type: 'branch' | 'branch-end' }>): void {
    const conversation = this.#open.at(-1) ?? this.#main
    switch (step.type) {
      case 'block':
        return this.#block(conversation, step.block)
      case 'call':
        return this.#call(conversation, step)
      case 'result':
        return this.#result(conversation, step.result)
      case 'agent':
        return void this.#open.push(this.#start(step, conversation))
      case 'agent-end':
        return this.#end(step)
      case 'agent-block':
        return step.isElsewhere ? undefined : this.#agentAlone(conversation, step.block)
      default:
        return assertNever(step)
    }
  }

  #block(conversation: Conversation, block: PlainBlock): void {
    if (isAgentConversation(conversation)) this.#out.push(...this.#agents.block(conversation, block))
    else this.#send(conversation, blockChunks(block))
  }

  /** A forked agent repeats the calls of its parent. Another call with a known id gets an id of its own. */
  #call(conversation: Conversation, { call, results }: Extract<WalkStep, { readonly type: 'call' }>): void {
    const { calls } = conversation
    const known = calls.get(call.toolUseId)
    if (known?.toolName === call.toolName && isEqual(known.input, call.input)) return
    const agentId = isAgentConversation(conversation) ? conversation.agent.toolUseId : MAIN
    const toolUseId = calls.has(call.toolUseId) ? `${agentId}:${call.toolUseId}` : call.toolUseId
    calls.set(toolUseId, call)
    this.#send(conversation, [toolCall({ ...call, toolUseId }, results, this.#callFacts)])
  }

  /** A result whose call is not known is a call of its own. */
  #result(conversation: Conversation, result: BlockOf<'tool_result'>): void {
    if (conversation.calls.has(result.toolUseId)) return
    conversation.calls.set(result.toolUseId, undefined)
    this.#send(conversation, [unknownCall(result, this.#callFacts)])
  }

  #start(walked: WalkedAgent, parent: Conversation): AgentConversation {
    const conversation = this.#agents.open(replayedAgent(walked), parent)
    this.#out.push(...this.#agents.start(conversation))
    return conversation
  }

  #end({ agent }: WalkedAgent): void {
    const conversation = this.#open.pop()
    if (!conversation) return
    this.#out.push(...this.#agents.plan(conversation, agent), ...this.#agents.end(conversation))
  }

  #agentAlone(parent: Conversation, block: BlockOf<'subagent'>): void {
    const conversation = this.#agents.open(factsOfBlock(block), parent)
    this.#out.push(...this.#agents.start(conversation), ...this.#agents.end(conversation))
  }

  #send(conversation: Conversation, updates: readonly SessionUpdate[]): void {
    for (const update of updates) this.#out.push(notificationOf(conversation, update))
  }
}

/**
 * Agents for clients without child sessions. The calls of an agent follow its own call in the main session. Nothing
 * else of its conversation is sent: a client would show it as main's.
 */
const flatAgents: AgentForm = {
  open: (agent, parent) => ({ sessionId: parent.sessionId, calls: parent.calls, agent, parent }),
  start({ agent, parent, calls }) {
    calls.set(agent.toolUseId, undefined)
    return [notificationOf(parent, agentCall(agent))]
  },
  block: () => [],
  plan: () => [],
  end: ({ agent, parent }) => (isFinal(agent.status) ? [notificationOf(parent, agentCallEnd(agent))] : []),
}

/** The name of the call that starts an agent, as in Claude's agent. */
const AGENT_TOOL = 'Agent'

const META = { claudeCode: { toolName: AGENT_TOOL } } as const

function agentCall({ toolUseId, name, description, status, prompt }: AgentFacts): ToolCallStart {
  return omitUndefined({
    sessionUpdate: 'tool_call',
    toolCallId: toolUseId,
    title: description || name || AGENT_TOOL,
    name: AGENT_TOOL,
    kind: 'think',
    status: status === 'pending' ? 'pending' : 'in_progress',
    rawInput: omitUndefined({ description, prompt, subagent_type: name }),
    content: contentOf(prompt),
    _meta: META,
  })
}

/** The content replaces the prompt, which is the content of a call that works. */
function agentCallEnd({ toolUseId, status, output }: AgentFacts): ToolCallEnd {
  return omitUndefined({
    sessionUpdate: 'tool_call_update',
    toolCallId: toolUseId,
    status: status === 'success' ? 'completed' : 'failed',
    rawOutput: output,
    content: contentOf(output) ?? [],
    _meta: META,
  })
}

function contentOf(text: string | undefined): ToolCallContent[] | undefined {
  return text === undefined || text === '' ? undefined : [{ type: 'content', content: textContent(text) }]
}
