import { isObject, isString, type JsonObject } from '../../../json/values.ts'
import { isAppServerMessage, readAppServerMessage } from './app-server.ts'
import type { CodexEvent } from './event.ts'
import { isExecLine, readExecLine } from './exec.ts'
import { isRolloutLine, readRolloutLine } from './rollout.ts'

/** Whether the value is a message of one of the forms. */
export function isCodexMessage(value: unknown): boolean {
  return isObject(value) && (isRolloutLine(value) || isExecLine(value) || isAppServerMessage(value))
}

/** Reads a message of any form; undefined if no form knows it. `process` tells the items of several `codex exec` apart. */
export function readEvents(message: JsonObject, process: number): readonly CodexEvent[] | undefined {
  if (isObject(message.payload)) return readRolloutLine(message)
  if (isString(message.type)) return readExecLine(message, process)
  return readAppServerMessage(message)
}
