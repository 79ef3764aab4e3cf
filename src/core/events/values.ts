import { isTime } from '../json/iso-time.ts'
import { NO_FIELDS } from '../json/values.ts'
import { TOKEN_COUNTS } from '../state/session.ts'
import type { SessionEvent } from './event.ts'
import type { EventIssue } from './guard.ts'

/**
 * Returns the first time that is not ISO 8601, or the first number that cannot be a count or an amount. The files of
 * other programs may have any text as a time, and no reader fails there: `parseSessionEvent` accepts such an event.
 */
export function wrongValue(event: SessionEvent): EventIssue | undefined {
  const own = wrongField(event, [])
  if (own) return own
  if (event.type === 'block:upsert') return wrongField(event.block, ['block'])
  if (event.type === 'usage:reported') return wrongField(event.usage, ['usage'])
  return event.type === 'session:updated' ? wrongField(event.facts, ['facts']) : undefined
}

function wrongField(part: object, path: readonly string[]): EventIssue | undefined {
  const fields = { ...NO_FIELDS, ...part }
  for (const name in fields) {
    const value = fields[name]
    const rule = value === undefined ? undefined : RULES.get(name)
    if (rule && !rule.isRight(value))
      return { code: 'invalid-value', path: [...path, name], expected: rule.expected }
  }
  return undefined
}

interface Rule {
  readonly expected: string
  isRight(value: unknown): boolean
}

const TIME: Rule = { expected: 'an ISO 8601 time', isRight: isTime }
const AMOUNT: Rule = { expected: 'a number from 0', isRight: (value) => Number(value) >= 0 }
const COUNT: Rule = {
  expected: 'a whole number from 0',
  isRight: (value) => Number.isSafeInteger(value) && Number(value) >= 0,
}

const RULES: ReadonlyMap<string, Rule> = new Map([
  ['timestamp', TIME],
  ...['durationMs', 'costUsd'].map((name) => [name, AMOUNT] as const),
  ...[...TOKEN_COUNTS, 'contextTokens', 'contextWindow'].map((name) => [name, COUNT] as const),
])
