import { isObject, isString } from '../../core/json/values.ts'
import { type InputEnd, TranslationContext, typeName } from '../../reading/context.ts'
import { defineSource } from '../../reading/define-source.ts'
import type { Source } from '../../reading/source.ts'
import { readStoredLine, readStreamEvent } from './messages.ts'
import { type GeminiContext, type GeminiNotes, NOTES } from './notes.ts'
import { open } from './open.ts'
import { translateStored } from './stored.ts'
import { translateStreamEvent } from './stream.ts'

// A message takes these steps:
// - `files.ts` finds the files of a session, whose lines then name their agent
// - `messages.ts` reads a line
// - `stream.ts` or `stored.ts` translates it

/**
 * Reads two forms of a session of Gemini CLI:
 * - the lines of `gemini -o stream-json`
 * - the lines of a chat's file, or the one document that older versions write
 */
export const geminiSource: Source = /* @__PURE__ */ defineSource({
  notes: NOTES,
  begin: (session) => new TranslationContext<GeminiNotes>(session),
  translate,
  end,
  open,
})

function translate(message: unknown, context: GeminiContext): void {
  const line = context.read(message)
  if (!isObject(line)) return context.reportUnknown('unknown-message', 'no object')
  const event = readStreamEvent(line)
  if (event) return translateStreamEvent(event, context)
  const stored = readStoredLine(line)
  if (!stored) return context.reportUnknown('unknown-message', typeName(line.type))
  translateStored(stored, isString(line.agentId) ? line.agentId : undefined, context)
  if (stored.type !== 'header') context.nameSession({ program: 'gemini' })
}

function end(context: GeminiContext): InputEnd {
  return context.endInput()
}
