import { asArray, asFiniteNumber, asObject, asString, type JsonObject } from '../../core/json/values.ts'
import { isTodoStatus, type Todo } from '../../core/state/todo.ts'

/** The names of the tools whose calls are items. Each form and each model has other names for them. */
export const COMMAND = 'command_execution'
export const FILE_CHANGE = 'file_change'
export const WEB_SEARCH = 'web_search'
export const IMAGE_VIEW = 'image_view'
export const IMAGE_GENERATION = 'image_generation'
export const SPAWN_AGENT = 'spawn_agent'
export const WAIT_AGENT = 'wait_agent'
export const CLOSE_AGENT = 'close_agent'
export const SEND_INPUT = 'send_input'
export const INTERRUPT_AGENT = 'interrupt_agent'
export const FOLLOWUP_TASK = 'followup_task'

/** Returns the tool whose call a client gets as an activity of an agent. `send_message`, which starts no turn, has the same sign. */
export function activityCall(activity: string): string | undefined {
  if (activity === 'interrupted') return INTERRUPT_AGENT
  return activity === 'interacted' ? FOLLOWUP_TASK : undefined
}

const PREFIX = 'exec:'

/** Returns the id of an item, which only its process and its number in it name. */
export function execId(process: number, id: string): string {
  return `${PREFIX}${process}:${id}`
}

/** Whether the id is one that this format gave to an item of `codex exec`. Another form of the session has another id for the item. */
export function isExecId(id: string): boolean {
  return id.startsWith(PREFIX)
}

/** Returns the id of the error that ended a process: each has at most one. */
export function execErrorId(process: number): string {
  return execId(process, 'error')
}

/** Returns a name in snake case. The forms of a session write one name as `aggregatedOutput`, `AggregatedOutput` or `aggregated_output`. */
export function snakeCase(name: string): string {
  if (!/[A-Z]/.test(name)) return name
  return name.replace(/(?<=[a-z0-9])[A-Z]/g, (letter) => `_${letter}`).toLowerCase()
}

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

/** Returns the words of a review's begin or end. A stream has them as a text, and a rollout has the facts that the text is made from. */
export function reviewText({ review, user_facing_hint, review_output }: JsonObject): string {
  return asString(review) ?? asString(user_facing_hint) ?? outputText(asObject(review_output))
}

function outputText({ overall_explanation, findings }: JsonObject): string {
  const found = asArray(findings).map((finding) => findingText(asObject(finding)))
  const title = found.length > 1 ? 'Full review comments:' : 'Review comment:'
  const comments = found.length > 0 ? [title, ...found] : []
  return [asString(overall_explanation)?.trim() ?? '', ...comments].filter((text) => text !== '').join('\n\n')
}

function findingText({ title, body, code_location }: JsonObject): string {
  const { absolute_file_path: path, line_range } = asObject(code_location)
  const { start, end } = asObject(line_range)
  const lines = [start, end].map((line) => String(asFiniteNumber(line) ?? ''))
  const words = (asString(body) ?? '').split('\n').map((line) => `  ${line}`)
  return [`- ${asString(title) ?? ''} — ${asString(path) ?? ''}:${lines.join('-')}`, ...words].join('\n')
}
