import { withChanges } from '../../../core/json/fields.ts'
import { asObject, isString } from '../../../core/json/values.ts'
import { type BlockOf, toolResultBlockId } from '../../../core/state/block.ts'
import { COMMAND } from '../../../programs/codex/tool-names.ts'
import { type ResultFacts, resultBlock, statusOf } from '../../kit/blocks.ts'
import type { CodexContext, CodexMemory } from '../context.ts'
import type { CodexEventOf } from '../events/event.ts'
import { isNewDelta } from './message.ts'
import { showEnd } from './tool.ts'

// A command may go on after the program has answered its call. Calls of `write_stdin` read the rest, also in later
// turns. All output belongs to the call that started the command.

/** The tool that writes to a command that goes on, and reads its output. */
export const WRITE_STDIN = 'write_stdin'

/** Notes that a command goes on. It does not end with its turn. Returns whether that is new. */
export function noteProcess(
  threadId: string,
  { processId, callId }: { readonly processId: string; readonly callId: string },
  memory: CodexMemory,
): boolean {
  const key = memory.itemKey(threadId, processId)
  if (memory.notes.values.commands.get(key) === callId) return false
  memory.notes.setEntry('commands', key, callId)
  return true
}

/** The answer to a `write_stdin` call. */
interface Poll extends Omit<ResultFacts, 'toolUseId'> {
  readonly input: unknown
  /** Absent if the command has ended. */
  readonly processId?: string | undefined
}

/** Adds the output that a `write_stdin` call has read to the call of its command, unless an item has all output. */
export function readPoll(threadId: string, poll: Poll, context: CodexContext): void {
  const { input, processId, output, ...end } = poll
  const key = context.itemKey(threadId, String(asObject(input).session_id))
  const callId = context.notes.values.commands.get(key) ?? openCommand(threadId, context)
  // A call that failed, or that the person stopped, says nothing of the command.
  const isOver = processId === undefined && end.exitCode !== undefined
  if (callId === undefined || !isString(output) || (processId === undefined && !isOver)) return
  if (isOver) context.notes.removeEntry('commands', key)
  const call = context.blockOf(threadId, callId)
  if (call?.type !== 'tool_use' || context.isDone(threadId, toolResultBlockId(callId))) return
  if (!isOver) return addOutput(threadId, { callId, output }, context)
  const result = { ...end, toolUseId: callId, output: outputOf(threadId, callId, context) + output }
  showEnd(threadId, { call: withChanges(call, { status: statusOf(end.isError) }), result }, context)
}

/** Returns the only open command of a state that the source went on from. The state does not have the ids of processes. */
function openCommand(threadId: string, memory: CodexMemory): string | undefined {
  if (memory.notes.values.knownUntil.get(memory.threadKey(threadId)) === undefined) return undefined
  const open = memory.state.openBlocks(memory.conversationOf(threadId))
  const [call, ...others] = open.filter((block) => block.type === 'tool_use' && block.toolName === COMMAND)
  return others.length === 0 ? call?.id : undefined
}

/** Shows more output of a command that goes on. After the end of its turn the result stays final. */
export function addOutput(
  threadId: string,
  { callId: toolUseId, output: added }: { readonly callId: string; readonly output: string },
  context: CodexContext,
): void {
  const known = context.blockOf(threadId, toolResultBlockId(toolUseId))
  const status = known?.type === 'tool_result' ? known.status : 'pending'
  const output = outputOf(threadId, toolUseId, context) + added
  context.show(threadId, resultBlock({ toolUseId, output, isError: false }, status))
}

function outputOf(threadId: string, callId: string, memory: CodexMemory): string {
  const known = memory.blockOf(threadId, toolResultBlockId(callId))
  return known?.type === 'tool_result' && isString(known.output) ? known.output : ''
}

/**
 * Shows the output of a command that still runs. A delta may be repeated, so it does not go on with a result that has
 * an end, or that the end of the input cut.
 */
export function appendOutput(threadId: string, event: CodexEventOf<'delta'>, context: CodexContext): void {
  const { itemId: callId, delta: output } = event
  const resultId = toolResultBlockId(callId)
  const key = context.itemKey(threadId, resultId)
  const result = context.blockOf(threadId, resultId)
  if (context.blockOf(threadId, callId)?.type !== 'tool_use') return
  if (result && result.status !== 'pending' && context.notes.values.unfinishedItems.get(key) === undefined)
    return
  if (isNewDelta(key, event, context.notes)) addOutput(threadId, { callId, output }, context)
}

/** Marks the calls that an interruption of their turn has stopped. A command that goes on is none of them. */
export function failOpenCalls(threadId: string, context: CodexContext): void {
  const going = new Set(context.notes.values.commands.values())
  const calls = context.state
    .openBlocks(context.conversationOf(threadId))
    .filter((block): block is BlockOf<'tool_use'> => block.type === 'tool_use' && !going.has(block.id))
  for (const call of calls) {
    const result = context.blockOf(threadId, toolResultBlockId(call.id))
    context.show(threadId, withChanges(call, { status: 'error' }))
    if (result?.type === 'tool_result')
      context.show(threadId, withChanges(result, { status: 'error', isError: true }))
  }
}
