import { isFinal } from '../../../src/core/state/subagent.ts'
import type { AgUiEvent } from '../../../src/entries/ag-ui.ts'
import { agUiSink, agUiSource } from '../../../src/entries/ag-ui.ts'
import {
  type ConversationBlock,
  createInitialConversationState,
  reduceSessionEvents,
  type SessionConversationState,
  type SessionEvent,
} from '../../../src/entries/index.ts'
import { textOf } from '../../../src/sinks/ag-ui/messages.ts'
import { outputText } from '../../../src/wires/ag-ui/message.ts'

/** The fields of blocks that AG-UI does not carry (docs/ag-ui.md). */
const LEFT_OUT = new Set([
  'messageId',
  'model',
  'timestamp',
  'changes',
  'exitCode',
  'checkpoint',
  'queued',
  'conversationId',
])

export interface Written {
  readonly state: SessionConversationState
  /** The events as a client gets them. */
  readonly wire: readonly AgUiEvent[]
  /** At some time an agent has no parent, or its own id stands for its call. AG-UI cannot give an agent another id. */
  readonly hasUnlinkedAgents: boolean
}

/** Writes a session as AG-UI, in batches of that size. */
export function write(events: readonly SessionEvent[], size: number): Written {
  let state = createInitialConversationState()
  let memory = agUiSink.initial
  let hasUnlinkedAgents = false
  const out: AgUiEvent[] = []
  for (let at = 0; at < events.length; at += size) {
    state = reduceSessionEvents(state, events.slice(at, at + size))
    hasUnlinkedAgents ||= state.subagents.some(
      ({ toolUseId, agentId, parentConversationId }) =>
        parentConversationId === undefined || toolUseId === agentId,
    )
    const step = agUiSink.translate(memory, state)
    out.push(...step.out)
    memory = step.memory
  }
  out.push(...agUiSink.end(memory, state).out)
  return { state: withCutAgents(state), wire: JSON.parse(JSON.stringify(out)), hasUnlinkedAgents }
}

/** Cuts the agents that run, as the end of an input does. */
function withCutAgents(state: SessionConversationState): SessionConversationState {
  const running = state.subagents.filter(({ status }) => !isFinal(status))
  return reduceSessionEvents(
    state,
    running.map(({ toolUseId }) => ({ type: 'subagent:completed', toolUseId, status: 'error', cut: true })),
  )
}

/** Reads events into a state, with the end of the input. */
export function read(wire: readonly unknown[]): SessionConversationState {
  return agUiSource.end(agUiSource.read(agUiSource.open(), wire).session).session.state
}

/** Returns the part of a session that AG-UI carries. */
export function carried({ blocks, turn, todos, subagents }: SessionConversationState): object {
  return {
    blocks: carriedBlocks(blocks),
    todos: todos ?? [],
    turn: turn.status === 'idle' ? 'finished' : turn.status,
    agents: Object.fromEntries(
      subagents.map(
        ({ blocks: own, usage: _, runId: _runId, openBlocks: _open, todos: plan = [], ...agent }) => [
          agent.toolUseId,
          { ...agent, todos: plan, blocks: carriedBlocks(own) },
        ],
      ),
    ),
  }
}

/** The result of a call may have any place behind the call. */
function carriedBlocks(blocks: readonly ConversationBlock[]): readonly object[] {
  const results = blocks.filter(({ type }) => type === 'tool_result')
  return [
    ...blocks.filter(({ type }) => type !== 'tool_result'),
    ...results.sort((left, right) => (left.id < right.id ? -1 : 1)),
  ].map(carriedBlock)
}

function carriedBlock(block: ConversationBlock): object {
  const fields = Object.fromEntries(Object.entries(block).filter(([name]) => !LEFT_OUT.has(name)))
  if (block.type === 'tool_result') return { ...fields, output: outputText(block.output) }
  if (block.type === 'tool_use') return { ...fields, id: block.toolUseId }
  if (block.type !== 'user_message' || typeof block.content === 'string') return fields
  const isText = block.origin !== undefined || block.content.every(({ type }) => type === 'text')
  return isText ? { ...fields, content: textOf(block.content) } : fields
}
