import { asString, isObject, isString } from '../../core/json/values.ts'
import { type InputEnd, TranslationContext, typeName } from '../../reading/context.ts'
import { defineSource } from '../../reading/define-source.ts'
import type { Source } from '../../reading/source.ts'
import { isIndex, isStoredFile, readLine } from './messages.ts'
import { type ClineContext, type ClineNotes, NOTES } from './notes.ts'
import { open } from './open.ts'
import { placedReplies } from './place.ts'
import { translateFile } from './stored.ts'
import { showReply, translateLine } from './stream.ts'
import { endByIndex } from './turn.ts'

/**
 * Reads two forms of a session of Cline CLI:
 * - the lines of `cline --json`
 * - the files of the session and of its agents, each of which is one message
 */
export const clineSource: Source = /* @__PURE__ */ defineSource({
  notes: NOTES,
  begin: (session) => new TranslationContext<ClineNotes>(session),
  translate,
  end,
  open,
})

function translate(message: unknown, context: ClineContext): void {
  const value = context.read(message)
  if (!isObject(value)) return context.reportUnknown('unknown-message', 'no object')
  if (isStoredFile(value))
    return translateFile(value, isString(value.agentId) ? value.agentId : undefined, context)
  if (isIndex(value)) {
    context.addMissingFacts({ id: value.session_id, cwd: asString(value.cwd) })
    return endByIndex(asString(value.status) ?? '', asString(value.ended_at), context)
  }
  const line = readLine(value)
  if (!line) return context.reportUnknown('unknown-message', typeName(value.type))
  translateLine(line, JSON.stringify(value), context)
}

function end(context: ClineContext): InputEnd {
  for (const { conversationId, reply } of placedReplies(true, context))
    showReply(conversationId, reply, context)
  return context.endInput()
}
