import { isObject } from '../json/values.ts'
import type { SessionConversationState } from './session.ts'

/** Whether the value has the parts of a session state. It does not look into blocks, because a state has many. */
export function hasStateParts(value: unknown): value is SessionConversationState {
  if (!isThread(value) || !isObject(value.session)) return false
  return Array.isArray(value.subagents) && value.subagents.every(isThread)
}

function isThread(value: unknown): value is Readonly<Record<string, unknown>> {
  return isObject(value) && isListOfObjects(value.blocks) && isListOfObjects(value.usage)
}

function isListOfObjects(value: unknown): boolean {
  return Array.isArray(value) && value.every(isObject)
}
