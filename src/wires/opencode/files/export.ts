import { isObject, type JsonObject } from '../../../json/values.ts'

/** The output of `opencode export`: one session and its messages. */
export interface SessionExport {
  readonly info: JsonObject
  readonly messages: readonly unknown[]
}

/** Whether the value is one session's export. */
export function isExport(value: unknown): value is SessionExport {
  return isObject(value) && isObject(value.info) && Array.isArray(value.messages)
}
