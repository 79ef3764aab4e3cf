import { asString, isObject, type JsonObject } from '../../core/json/values.ts'
import { type ConversationBlock, isModelText, messageIdOf } from '../../core/state/block.ts'
import { numberedId, numberOfId } from '../../core/state/numbered-id.ts'
import { MAIN, type SessionConversationState } from '../../core/state/session.ts'
import { qwen } from '../../programs/qwen/program.ts'
import { type InputEnd, TranslationContext, typeName } from '../../reading/context.ts'
import { defineSource } from '../../reading/define-source.ts'
import type { Source } from '../../reading/source.ts'
import { unwrapLogLine } from '../kit/lines.ts'
import { endByFacts, registerAgent } from './agents.ts'
import { qwenRules } from './format.ts'
import { beginPendingTurn, translateLive } from './live.ts'
import { readLiveLine, readMeta, readPiece, readRecord } from './messages.ts'
import { NOTES, type QwenContext, type QwenNotes } from './notes.ts'
import { moveTo, turnOf } from './place.ts'
import { translatePiece, translateRecord } from './stored.ts'
import { contentOfMessage, noteAnswer, showPrompt } from './turn.ts'

/** Makes the notes that are needed to go on from a state. A state does not have the ids of records, so a later rewind has no place. */
function open(state: SessionConversationState, context: QwenContext): void {
  const abandoned = state.branches?.flatMap(({ blocks }) => blocks) ?? []
  // A turn may have calls alone. Only the ids of their messages name its place.
  const numbers = [...state.blocks, ...abandoned].flatMap((block) =>
    [block.id, turnOf(block.id), messageIdOf(block)].flatMap((id = '') => numberOfId(id) ?? []),
  )
  const { status } = state.turn
  const count = numbers.reduce((most, number) => Math.max(most, number + 1), status === 'idle' ? 0 : 1)
  if (count > 0) context.notes.setEntry('promptCounts', MAIN, count)
  const last = state.blocks.at(-1)
  if (status === 'running' && (last === undefined || last.type === 'user_message'))
    context.notes.remember({ isFresh: true })
  if (status === 'running' && last === undefined) moveTo(MAIN, numberedId(0), context)
  if (status === 'running' && last?.type === 'assistant_text' && last.status === 'complete')
    noteAnswer(context.state.usageOf(MAIN, last.messageId ?? '') !== undefined, last.timestamp, context)
  openThread(MAIN, state.blocks, abandoned, context.notes)
  for (const { toolUseId, blocks } of state.subagents) {
    const prompts = blocks.filter(({ id }) => id.startsWith(`${toolUseId}:prompt`)).length
    if (prompts > 0) context.notes.setEntry('promptCounts', toolUseId, prompts)
    openThread(toolUseId, blocks, [], context.notes)
  }
}

/** Notes up to which time a conversation is known, and the text that goes on. */
function openThread(
  conversationId: string,
  blocks: readonly ConversationBlock[],
  abandoned: readonly ConversationBlock[],
  notes: QwenContext['notes'],
): void {
  const times = [...blocks, ...abandoned].flatMap(({ timestamp }) => timestamp ?? [])
  const until = times.sort().at(-1)
  if (until !== undefined) notes.setEntry('knownUntil', conversationId, until)
  const text = blocks.findLast((block) => block.status === 'pending' && isModelText(block))
  if (text) notes.setEntry('openTexts', conversationId, { id: text.id })
}

// A message takes these steps:
// - `files.ts` finds the files of a session
// - `messages.ts` reads a line
// - `live.ts` or `stored.ts` translates it; `place.ts` makes ids that both forms share

/**
 * Reads the forms of a session of Qwen Code:
 * - the lines of `-o stream-json`, those of the SDK in both directions, and those of the terminal's `--json-file`
 * - the records of a chat's file and of its agents' files
 */
export const qwenSource: Source = /* @__PURE__ */ defineSource({
  transcripts: qwenRules,
  notes: NOTES,
  begin: (session) => new TranslationContext<QwenNotes>(session),
  translate,
  end,
  open,
})

function translate(message: unknown, context: QwenContext): void {
  const value = context.read(message)
  if (!isObject(value)) return context.reportUnknown('unknown-message', 'no object')
  const line = unwrapLogLine(value)
  if (isOfOtherSession(line, context)) return context.reportUnknown('other-session', typeName(line.type))
  const live = readLiveLine(line)
  if (live) return translateLive(line, live, context)
  const meta = readMeta(line)
  if (meta) return registerAgent(meta, context)
  const piece = readPiece(line)
  if (piece) return translatePiece(piece, context)
  const record = readRecord(line)
  if (!record) return context.reportUnknown('unknown-message', typeName(line.type))
  translateRecord(record, context)
}

/**
 * Whether a line belongs to another session than the first one. The SDK's client does not know the session at first.
 * A process that begins after main's turn goes on with a fork, which has an id of its own.
 */
function isOfOtherSession({ session_id, sessionId, subtype }: JsonObject, context: QwenContext): boolean {
  const id = asString(session_id) || asString(sessionId)
  if (id === undefined || id === '') return false
  context.addMissingFacts({ program: qwen.names[0], id })
  const {
    notes: { values: notes },
    state: { facts, turn },
  } = context
  if (subtype === 'init' && turn.status !== 'running' && (notes.forkId ?? facts.id) !== id)
    context.notes.remember({ forkId: id === facts.id ? undefined : id })
  return id !== facts.id && id !== context.notes.values.forkId
}

/** Shows what waits: prompts that the client has sent, and the ends that only the agents' own facts tell. */
function end(context: QwenContext): InputEnd {
  beginPendingTurn(context)
  const { queue = [] } = context.notes.values
  context.notes.remember({ queue: undefined })
  for (const content of queue) showPrompt({ content: contentOfMessage(content) }, context)
  endByFacts(context)
  return context.endInput()
}
