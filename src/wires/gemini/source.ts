import { isObject, isString } from '../../core/json/values.ts'
import { numberOfId } from '../../core/state/numbered-id.ts'
import { type ConversationThread, MAIN, type SessionConversationState } from '../../core/state/session.ts'
import { type Memory, TranslationContext, typeName } from '../../reading/context.ts'
import { defineSource } from '../../reading/define-source.ts'
import type { Source } from '../../reading/source.ts'
import { geminiRules } from './format.ts'
import { readStoredLine, readStreamEvent } from './messages.ts'
import { type GeminiContext, type GeminiNotes, NOTES } from './notes.ts'
import { translateStored } from './stored.ts'
import { translateStreamEvent } from './stream.ts'

/**
 * Makes the notes that are needed to go on from a state. A state does not have the ids of prompts in files, so a
 * later rewind to one of them has no place.
 */
function open(state: SessionConversationState, memory: Memory<GeminiContext>): void {
  const abandoned = state.branches?.flatMap(({ blocks }) => blocks) ?? []
  openThread(MAIN, { blocks: [...state.blocks, ...abandoned] }, memory.notes)
  for (const { toolUseId, agentId = toolUseId, ...thread } of state.subagents)
    openThread(agentId, thread, memory.notes)
  const openText = state.blocks.findLast(
    ({ type, status }) => type === 'assistant_text' && status === 'pending',
  )
  if (openText) memory.notes.remember({ openText: { id: openText.id } })
}

function openThread(
  key: string,
  { blocks }: Pick<ConversationThread, 'blocks'>,
  notes: GeminiContext['notes'],
): void {
  let count = 0
  for (const { id, type } of blocks) {
    const number = type === 'user_message' ? numberOfId(id) : undefined
    if (number === undefined) continue
    count = Math.max(count, number + 1)
    notes.setEntry('unnamedPrompts', notes.keyOf(key, id), true)
  }
  if (count > 0) notes.setEntry('promptCounts', key, count)
}

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
  transcripts: geminiRules,
  notes: NOTES,
  begin: (session) => new TranslationContext<GeminiNotes>(session),
  translate,
  end: (context) => context.endInput(),
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
