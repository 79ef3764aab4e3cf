import type { CallItem } from '../plan/plan.ts'

/** Returns the values as lines of JSON. */
export function jsonLines(values: readonly unknown[]): string {
  return values.map((value) => `${jsonText(value)}\n`).join('')
}

/** Returns a value as JSON. Programs and providers refuse a text with half of a pair of surrogates, so it has `\ufffd` in that place. */
export function jsonText(value: unknown, indent?: number): string {
  // In the JSON of a value, an escaped surrogate is one without its other half.
  return JSON.stringify(value, null, indent).replace(LONE_SURROGATE, '$1\ufffd')
}

const LONE_SURROGATE = /(?<!\\)((?:\\\\)*)\\ud[89a-f][0-9a-f]{2}/g

/** Returns the id of a call, as most programs have it. */
export function callId({ id }: Pick<CallItem, 'id'>): string {
  return `call_${id}`
}
