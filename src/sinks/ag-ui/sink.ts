import { createInitialConversationState, type SessionConversationState } from '../../state/session.ts'
import { isFinal } from '../../state/subagent.ts'
import type { AgUiEvent } from '../../wires/ag-ui/event.ts'
import type { Sink } from '../sink.ts'
import { searchedPairs } from './messages/pairs.ts'
import { writeBlock } from './stream/block-writer.ts'
import { type ThreadChange, threadChanges } from './stream/changes.ts'
import type { Runs } from './stream/run.ts'
import { RunWriter } from './stream/run-writer.ts'
import { reorderMessages, replaceMessages } from './stream/snapshots.ts'

/** The memory of the sink: the last state, and the runs so far. Treat it as opaque. */
export interface AgUiMemory {
  readonly state: SessionConversationState
  readonly runs: Runs
}

/**
 * Translates the states of a session into the events of AG-UI. A client of AG-UI gets the messages of `toAgUiMessages` and the shared state
 * of `toAgUiState`. Each turn is a run. Agents that outlive the turn keep its run open, and a request to the person ends it with an interrupt.
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

function startAgent(writer: RunWriter, { agent }: ThreadChange): void {
  if (agent?.after.status === 'running') writer.startAgent(agent.after)
}

function endAgent(writer: RunWriter, { agent }: ThreadChange): void {
  if (!agent || !isFinal(agent.after.status)) return
  if (!agent.before || !isFinal(agent.before.status)) writer.endAgent(agent.after)
}

function writeBlocks(writer: RunWriter, { blocks, changes = [], conversationId }: ThreadChange): boolean {
  const context = { writer, conversationId, pairs: searchedPairs(blocks) }
  let isWritten = true
  for (const change of changes) isWritten = writeBlock(change, context) && isWritten
  return isWritten
}
