import { allPrograms } from '../../programs/all.ts'

const TOOL_NAMES: ReadonlySet<string> = new Set(
  allPrograms().flatMap(({ tools }) => Object.values(tools).flat()),
)

const PROGRAM_NAMES: ReadonlySet<string> = new Set(
  allPrograms().flatMap(({ names, adapter }) => [...names, ...(adapter ? [adapter.name] : [])]),
)

/** Whether the text is the name of a program or of a tool. */
export function isKnownName(text: string): boolean {
  return TOOL_NAMES.has(text) || PROGRAM_NAMES.has(text)
}

/** The pattern of the tools' names that are no words of a language. The longest comes first. */
export const KNOWN_NAME: string = [...TOOL_NAMES]
  .filter((name) => /[a-z][A-Z_]/.test(name))
  .sort((left, right) => right.length - left.length)
  .join('|')

const META_KEYS = allPrograms().flatMap(({ adapter }) => adapter?.metaKeys ?? [])

/** Whether the name of a field is one of a program's own. */
export function isOwnField(name: string): boolean {
  return META_KEYS.some((key) => name.startsWith(key))
}
