import { isObject } from '../../core/json/values.ts'
import { isAppServerMessage } from './events/app-server.ts'
import { isExecLine } from './events/exec.ts'
import { isRolloutLine } from './events/rollout.ts'

/** Whether the value is a message of one of the forms. */
export function isCodexMessage(value: unknown): boolean {
  return isObject(value) && (isRolloutLine(value) || isExecLine(value) || isAppServerMessage(value))
}
