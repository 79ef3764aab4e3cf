import type { CallItem } from '../plan/plan.ts'

/** Returns the id of a call, as most programs have it. */
export function callId({ id }: Pick<CallItem, 'id'>): string {
  return `call_${id}`
}
