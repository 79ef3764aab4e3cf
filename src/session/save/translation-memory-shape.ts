import { SESSION_FACTS } from '../../state/session.ts'
import { SESSION_TURN, TURN_OUTCOME } from '../../state/turn.ts'
import type { TranslationMemory } from '../notes/memory-draft.ts'
import type { MemoryFieldsOf } from './memory-shape.ts'

/** Returns the fields that the memory of every source has. A bundler drops an unused function, and keeps an unused spread. */
export function translationFields(): MemoryFieldsOf<TranslationMemory> {
  return {
    facts: { fields: SESSION_FACTS },
    turn: SESSION_TURN.status,
    'turnStartedAt?': 'string',
    'lastTurn?': { fields: SESSION_TURN },
    'answer?': { fields: { 'outcome?': TURN_OUTCOME, 'error?': 'string', 'timestamp?': 'string' } },
  }
}
