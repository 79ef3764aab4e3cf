import type { SessionFacts } from '../../state/session.ts'
import type { Translation } from './translation.ts'

/** Says what is newly known of the session; what is known already stays. */
export function learnFacts(facts: SessionFacts, translation: Translation): void {
  updateFacts({ ...facts, ...translation.memory.facts }, translation)
}

/** Says what has changed about the session. */
export function updateFacts(facts: SessionFacts, translation: Translation): void {
  const before = translation.memory.facts
  const news = Object.fromEntries(
    Object.entries(facts).filter(([name, fact]) => !isSame(Reflect.get(before, name), fact)),
  )
  if (Object.keys(news).length === 0) return
  translation.remember({ facts: { ...before, ...news } })
  translation.emit({ type: 'session:updated', facts: news })
}

function isSame(left: unknown, right: unknown): boolean {
  return left === right || JSON.stringify(left) === JSON.stringify(right)
}
