import { asArray, asObject, asString } from '../../core/json/values.ts'
import { isTodoStatus, type Todo } from '../../core/state/todo.ts'
import { snakeCase } from './tool-names.ts'

/** Reads a plan; undefined if it is no list. Exec names a step `text`, and states only whether it is completed. */
export function readPlan(plan: unknown): readonly Todo[] | undefined {
  return Array.isArray(plan) ? asArray(plan).flatMap(readStep) : undefined
}

function readStep(value: unknown): readonly Todo[] {
  const { step, text, status, completed } = asObject(value)
  const words = asString(step) ?? asString(text)
  const name = snakeCase(asString(status) ?? (completed === true ? 'completed' : ''))
  return words === undefined ? [] : [{ text: words, status: isTodoStatus(name) ? name : 'pending' }]
}
