import type { TranslationContext } from '../../../reading/context.ts'
import { declareNotes, type NotesDeclaration, type NotesOf } from '../../../reading/notes/notes.ts'
import { RENAMED_CALLS } from '../reused-ids.ts'

/** The notes of each wire whose files hold whole messages. */
export const STEP_NOTES = {
  /** The last message. A mark without an id of its own stands behind it. */
  last: 'string',
  renamedCalls: RENAMED_CALLS,
  /** The lines of agents that no call of a known conversation has started so far. */
  waiting: { mapOf: { bufferOf: 'JSON object' } },
  /** The first words to such an agent. They show its call. */
  firstPrompts: { mapOf: 'string' },
} as const

type StepNotes = NotesOf<typeof STEP_NOTES>

/** Declares the notes of such a wire that has no others. */
export function stepNotes(source: string): NotesDeclaration<StepNotes> {
  return declareNotes({ source, version: 1 }, STEP_NOTES)
}

/** The translation of lines that hold whole messages. */
export type StepContext = TranslationContext<StepNotes>
