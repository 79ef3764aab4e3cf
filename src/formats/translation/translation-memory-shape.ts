import { SESSION_FACTS } from '../../state/session.ts'
import { SESSION_TURN, TURN_OUTCOME } from '../../state/turn.ts'
import type { TranslationMemory } from './context.ts'
import type { MemoryFieldsOf } from './memory-shape.ts'

/** The fields that the memory of every source has. */
export const TRANSLATION_MEMORY: MemoryFieldsOf<TranslationMemory> = {
  facts: { fields: SESSION_FACTS },
  turn: SESSION_TURN.status,
  'turnStartedAt?': 'string',
  'answer?': { fields: { 'outcome?': TURN_OUTCOME, 'error?': 'string', 'timestamp?': 'string' } },
}
