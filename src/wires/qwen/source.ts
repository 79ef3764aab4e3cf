import { asString, isObject, type JsonObject } from '../../core/json/values.ts'
import { qwen } from '../../programs/qwen/program.ts'
import { type InputEnd, TranslationContext, typeName } from '../../reading/context.ts'
import { defineSource } from '../../reading/define-source.ts'
import type { Source } from '../../reading/source.ts'
import { unwrapLogLine } from '../kit/log-line.ts'
import { endByFacts, registerAgent } from './agents.ts'
import { beginPendingTurn, translateLive } from './live.ts'
import { readLiveLine, readMeta, readPiece, readRecord } from './messages.ts'
import { NOTES, type QwenContext, type QwenNotes } from './notes.ts'
import { open } from './open.ts'
import { translatePiece, translateRecord } from './stored.ts'
import { contentOfMessage, showPrompt } from './turn.ts'

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
 * Whether a line belongs to another session than the first one. The SDK's client does not know the session at first. A process that begins after main's turn
 * goes on with a fork, which has an id of its own.
 */
function isOfOtherSession({ session_id, sessionId, subtype }: JsonObject, context: QwenContext): boolean {
  const id = asString(session_id) || asString(sessionId)
  if (id === undefined || id === '') return false
  context.addMissingFacts({ program: qwen.names[0], id })
  const { facts, notes, turn } = context
  if (subtype === 'init' && turn.status !== 'running' && (notes.forkId ?? facts.id) !== id)
    context.remember({ forkId: id === facts.id ? undefined : id })
  return id !== facts.id && id !== context.notes.forkId
}

/** Shows what waits: prompts that the client has sent, and the ends that only the agents' own facts tell. */
function end(context: QwenContext): InputEnd {
  beginPendingTurn(context)
  const { queue = [] } = context.notes
  context.remember({ queue: undefined })
  for (const content of queue) showPrompt({ content: contentOfMessage(content) }, context)
  endByFacts(context)
  return context.endInput()
}
