import { asObject, asString, isString, type JsonObject } from '../../../json/values.ts'
import type { CallUpdate } from './read-call.ts'

/**
 * Returns the name of a call's tool. The stable protocol has no field for it, so agents name the tool in different places:
 * - `name`, or an agent's own facts
 * - the title of a call whose input is still to come, as OpenCode sends it
 * - nowhere: the input shows the tools of OpenCode, and else the kind of the call stands for the name
 */
export function toolNameOf({ fields, metaName }: CallUpdate, known: string | undefined): string {
  const stated = metaName ?? asString(fields.name)
  if (stated !== undefined) return stated
  if (isInvalid(fields)) return 'invalid'
  return known ?? nameInTitle(fields) ?? nameByInput(fields) ?? asString(fields.kind) ?? 'other'
}

/** OpenCode runs a tool of its own in the place of one that it does not have. */
function isInvalid({ kind, rawInput }: JsonObject): boolean {
  const { tool, error } = asObject(rawInput)
  return kind === 'other' && isString(tool) && isString(error)
}

/** An input that holds at most the working folder is still to come. */
function nameInTitle({ title, rawInput, status }: JsonObject): string | undefined {
  const { cwd, ...input } = asObject(rawInput)
  const isStart = rawInput !== undefined && status === 'pending' && Object.keys(input).length === 0
  return isStart && /^[\w.-]+$/.test(asString(title) ?? '') ? asString(title) : undefined
}

/** A field that only one tool of its kind has. The first match counts. */
const BY_INPUT: readonly (readonly [kind: string, field: string, name: string])[] = [
  ['think', 'subagent_type', 'task'],
  ['execute', 'command', 'bash'],
  ['execute', 'cmd', 'bash'],
  ['edit', 'patchText', 'apply_patch'],
  ['edit', 'oldString', 'edit'],
  ['edit', 'content', 'write'],
  ['read', 'filePath', 'read'],
  ['search', 'include', 'grep'],
  ['fetch', 'url', 'webfetch'],
  ['other', 'todos', 'todowrite'],
]

function nameByInput({ kind, rawInput }: JsonObject): string | undefined {
  const input = asObject(rawInput)
  return BY_INPUT.find(([of, field]) => of === kind && field in input)?.[2]
}
