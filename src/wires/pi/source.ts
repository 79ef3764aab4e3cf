import { timeInMs } from '../../core/json/lists.ts'
import { isObject } from '../../core/json/values.ts'
import { type ConversationBlock, isInterruption, isPrompt, messageIdOf } from '../../core/state/block.ts'
import type { SessionConversationState } from '../../core/state/session.ts'
import { PI } from '../../programs/pi/program.ts'
import type { InputEnd } from '../../reading/context.ts'
import { defineSource } from '../../reading/define-source.ts'
import type { Source } from '../../reading/source.ts'
import { isFromClient, unwrapLogLine } from '../kit/lines.ts'
import { noteReusedIds } from '../kit/reused-ids.ts'
import { translateMessage } from './blocks/message.ts'
import { openReply } from './blocks/reply.ts'
import { piRules } from './format.ts'
import { NOTES, PiContext } from './notes.ts'
import { translateCommand, translateLine } from './translate.ts'

// A line takes one of these ways:
// - `tree` places an entry of a file, and `translate` reads its type
// - `blocks/` translates messages, replies that stream, and results
// - `agents` translates the agents that a result shows, and `requests` the dialogs of extensions

/**
 * Reads four forms of a session of Pi, and of the programs that share its format (Oh My Pi, OpenClaw):
 * - the lines of `--mode json`
 * - the lines of `--mode rpc`, alone or in a log of both directions: `{ dir, msg }`
 * - its files, of version 1 to 3
 * - the files of its agents, beside those of main
 */
export const piSource: Source = /* @__PURE__ */ defineSource({
  transcripts: piRules,
  notes: NOTES,
  begin: (session) => new PiContext(session, { message: translateMessage, line: translateLine }),
  translate,
  end,
  open,
})

function translate(message: unknown, context: PiContext): void {
  const read = context.read(message)
  if (!isObject(read)) return context.reportUnknown('unknown-message', 'no object')
  const line = unwrapLogLine(read)
  // Only a client answers, so an answer needs no envelope that says so.
  if (isFromClient(read) || line.type === 'extension_ui_response') translateCommand(line, context)
  else translateLine(line, context)
  context.nameSession({ program: PI })
}

function end(context: PiContext): InputEnd {
  return context.endInput({ unplaced: context.notes.values.waiting.entries().map(([agentId]) => agentId) })
}

/** Makes the notes that are needed to go on from a state. A state holds no places of entries, so it shows no later rewind. */
function open(state: SessionConversationState, context: PiContext): void {
  const { turn, blocks } = state
  noteReusedIds(state, context.notes)
  context.notes.remember({ streaming: openReply(context.state), lastMessage: placeOf(blocks) })
  if (turn.status !== 'running' || context.notes.values.streaming) return
  const last = blocks.at(-1)
  if (last?.type === 'error') context.turn.answer({ outcome: 'failed', error: last.message })
  else if (last && isInterruption(last)) context.turn.answer({ outcome: 'interrupted' })
  else if (last?.type === 'assistant_text' && last.status === 'complete')
    context.turn.answer({ outcome: 'finished' })
}

/** Returns the last message, by its time in ms: that is the id of a message, and a block of it has the same time as ISO 8601. */
function placeOf(blocks: readonly ConversationBlock[]): PiContext['notes']['values']['lastMessage'] {
  const last = blocks.findLast((block) => isPrompt(block) || isOfModel(block))
  const id = last && (messageIdOf(last) ?? String(timeInMs(last.timestamp)))
  return id === undefined ? undefined : { id, isLive: false }
}

/** Whether the block is the model's or its result. A command of the person is neither. */
function isOfModel(block: ConversationBlock): boolean {
  if (block.type === 'tool_result') return !block.toolUseId.startsWith('command:')
  return messageIdOf(block) !== undefined
}
