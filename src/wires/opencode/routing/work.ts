import { asObject } from '../../../json/values.ts'
import type { BusEvent } from '../events/event.ts'

/** Whether the event proves that its session works. Idle sessions of the same server report only their own facts. */
export function provesWork({ type, properties }: BusEvent): boolean {
  if (type === 'session.status') return BUSY_STATUSES.has(asObject(properties.status).type)
  return WORK_TYPES.has(type)
}

/** The statuses of a session that works. */
export const BUSY_STATUSES: ReadonlySet<unknown> = new Set(['busy', 'retry'])

const WORK_TYPES: ReadonlySet<string> = new Set([
  'message.updated',
  'message.part.updated',
  'message.part.delta',
  'permission.asked',
  'permission.updated',
  'question.asked',
])
