import { omitUndefined } from '../../../json/omit-undefined.ts'
import { asArray, asObject, asString, isString, type JsonObject } from '../../../json/values.ts'
import { permissionTitle } from '../../../session/requests.ts'
import type { RequestFacts, RequestOption } from '../../../state/request.ts'

/** The answers that OpenCode takes: `POST /permission/:id/reply`. */
const ANSWERS: readonly RequestOption[] = [
  { id: 'once', label: 'Allow once' },
  { id: 'always', label: 'Always allow' },
  { id: 'reject', label: 'Reject' },
]

/** Reads the properties of a permission event. Versions before 1.1 name the permission `type`, and bring a title. */
export function askedPermission(properties: JsonObject): RequestFacts {
  const { permission, type, title, patterns, pattern, always, metadata } = properties
  const name = asString(permission) ?? asString(type) ?? 'permission'
  const strings = asArray(patterns ?? (typeof pattern === 'string' ? [pattern] : pattern)).filter(isString)
  const target = targetOf(asObject(metadata)) ?? (strings.length > 0 ? strings.join(', ') : undefined)
  return {
    kind: 'permission',
    title: asString(title) ?? permissionTitle(name, target),
    options: ANSWERS,
    data: omitUndefined({ patterns: patterns ?? pattern, always, metadata }),
  }
}

/** Returns the permission that a call asked for, as far as the call itself shows it. */
export function permissionOfCall({ tool, state }: JsonObject): RequestFacts {
  const name = asString(tool) ?? 'permission'
  const title = permissionTitle(
    EDIT_TOOLS.has(name) ? 'edit' : name,
    targetOf(asObject(asObject(state).input)),
  )
  return { kind: 'permission', title, options: ANSWERS }
}

/** The tools that ask for the permission `edit`. */
const EDIT_TOOLS: ReadonlySet<string> = new Set(['edit', 'write', 'patch', 'apply_patch', 'multiedit'])

/** Returns what a call is about, such as the command. Inputs and the metadata of permissions use the same names. */
function targetOf({ command, filepath, filePath, url, description }: JsonObject): string | undefined {
  return [command, filepath, filePath, url, description].find(isString)
}
