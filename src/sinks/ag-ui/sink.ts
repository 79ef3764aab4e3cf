import { createInitialConversationState, type SessionConversationState } from '../../core/state/session.ts'
import type { Sink } from '../../core/state/sink.ts'
import { isFinal } from '../../core/state/subagent.ts'
import type { AgUiEvent } from '../../wires/ag-ui/event.ts'
import { PLACEHOLDER } from '../../wires/ag-ui/ids.ts'
import type { AgUiMessage } from '../../wires/ag-ui/message.ts'
import { searchedPairs } from './calls.ts'
import { type ThreadChange, threadChanges } from './changes.ts'
import { toAgUiMessages } from './messages.ts'
import { type Runs, RunWriter } from './run-writer.ts'
import { writeBlock } from './write-block.ts'

/** The memory of the sink: the last state, and the runs so far. Treat it as opaque. */
export interface AgUiMemory {
  readonly state: SessionConversationState
  readonly runs: Runs
}

/**
 * Translates the states of a session into the events of AG-UI. A client of AG-UI gets the messages of
 * `toAgUiMessages` and the shared state of `toAgUiState`. Each turn is a run. Agents that outlive the turn keep its
 * run open, and a request to the person ends it with an interrupt.
 */
export const agUiSink: Sink<AgUiMemory, AgUiEvent> = {
  initial: { state: createInitialConversationState(), runs: { count: 0 } },
  translate(memory, state) {
    if (memory.state === state) return { memory, out: [] }
    const writer = new RunWriter(memory.runs, state)
    writeTurn(writer, memory.state, state)
    writeThreads(writer, memory.state, state)
    writer.writeState(memory.state)
    writer.closeUnlessActive()
    return { memory: { state, runs: writer.runs() }, out: writer.out }
  },
  end({ runs }, state) {
    const writer = new RunWriter(runs, state)
    writer.closeWithOutcome()
    return { out: writer.out }
  },
}

/** A turn that another turn followed since the last state has ended. */
function writeTurn(
  writer: RunWriter,
  { turn: before }: SessionConversationState,
  { turn }: SessionConversationState,
): void {
  if (before.startedAt !== undefined && turn.startedAt !== undefined && before.startedAt !== turn.startedAt)
    writer.close({ type: 'success' })
  if (turn !== before) writer.openForTurn(before.status)
}

function writeThreads(
  writer: RunWriter,
  before: SessionConversationState,
  after: SessionConversationState,
): void {
  const { threads, isGone } = threadChanges(before, after)
  const isReordered = isGone || threads.some(({ changes }) => !changes)
  if (isReordered) {
    writer.closeStreams()
    writer.write(...reorderMessages(after))
  }
  let isWritten = true
  for (const thread of threads) {
    startAgent(writer, thread)
    if (!isReordered) isWritten = writeBlocks(writer, thread) && isWritten
    endAgent(writer, thread)
  }
  if (!isWritten) writer.write(replaceMessages(after))
}

/** An agent that starts and ends within one step starts before its blocks. */
function startAgent(writer: RunWriter, { agent }: ThreadChange): void {
  if (agent && (agent.after.status === 'running' || isEnd(agent))) writer.startAgent(agent.after)
}

function endAgent(writer: RunWriter, { agent }: ThreadChange): void {
  if (agent && isEnd(agent)) writer.endAgent(agent.after)
}

function isEnd({ before, after }: NonNullable<ThreadChange['agent']>): boolean {
  return isFinal(after.status) && !(before && isFinal(before.status))
}

function writeBlocks(writer: RunWriter, { blocks, changes = [], conversationId }: ThreadChange): boolean {
  const context = { writer, conversationId, pairs: searchedPairs(blocks) }
  let isWritten = true
  for (const change of changes) isWritten = writeBlock(change, context) && isWritten
  return isWritten
}

/** The client keeps activities that a snapshot leaves out, unless the snapshot says that it has all of them. */
const HAS_ALL = { '@ag-ui/client': { authoritativeActivityTypes: null } }

/** Returns the snapshot that replaces messages at their places. */
function replaceMessages(state: SessionConversationState): AgUiEvent {
  return snapshot(toAgUiMessages(state))
}

/**
 * Returns the snapshots that remove messages or change their order. The client keeps the order of the messages that
 * it has, so it must forget them first. It also keeps reasoning, unless the snapshot has any: so the placeholder is
 * reasoning at first, and then not.
 */
function reorderMessages(state: SessionConversationState): readonly AgUiEvent[] {
  return [
    snapshot([{ id: PLACEHOLDER, role: 'reasoning', content: '' }]),
    snapshot([{ id: PLACEHOLDER, role: 'system', content: '' }]),
    { ...snapshot(toAgUiMessages(state)), metadata: { ...HAS_ALL, hasReasoning: true } },
  ]
}

function snapshot(messages: AgUiMessage[]) {
  return { type: 'MESSAGES_SNAPSHOT', messages, metadata: HAS_ALL } as const
}
