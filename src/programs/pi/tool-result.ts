import {
  asArray,
  asFiniteNumber,
  asObject,
  asString,
  isObject,
  type JsonObject,
} from '../../core/json/values.ts'
import { absolutePath, type FileChange } from '../../core/state/file-change.ts'
import { isTodoStatus, type Todo } from '../../core/state/todo.ts'
import { changeOfHunks, type FilePatch, hunksBetween, hunksOfNewFile, readPatch } from '../diff.ts'

/** A call with its result. */
interface AnsweredCall {
  readonly toolName: string
  readonly input: JsonObject
  readonly details: JsonObject
  /** The words for the model. */
  readonly text: string
  readonly isError: boolean
}

/** Returns the exit code of a command. It stands at the end of the words for the model, and only if the command failed. */
export function exitCodeOf({ toolName, text, details, isError }: AnsweredCall): number | undefined {
  const { async: job, exitCode } = details
  if (toolName !== 'bash' || isObject(job)) return undefined
  const stated = asFiniteNumber(exitCode)
  if (stated !== undefined || !isError) return stated ?? 0
  const [, code] = /Command exited with code (-?\d+)\s*$/.exec(text) ?? []
  return code === undefined ? undefined : Number(code)
}

/** Returns the changes to files. A written file counts as new: nothing says whether there was one. */
export function fileChangesOf(
  { toolName, input, details, isError }: AnsweredCall,
  folder: string | undefined,
): readonly FileChange[] | undefined {
  if (isError || !EDITS.has(toolName)) return undefined
  // Oh My Pi edits several files with one call.
  const files = Array.isArray(details.perFileResults) ? details.perFileResults.map(asObject) : [details]
  const changes = files.flatMap((file) => {
    const [patch] = readPatch(asString(file.patch) ?? '')
    const path = asString(file.path) ?? asString(input.path) ?? pathIn(patch)
    return path === undefined
      ? []
      : (changeOf(absolutePath(path, folder), { file, patch, content: input.content }) ?? [])
  })
  return changes.length === 0 ? undefined : changes
}

const EDITS: ReadonlySet<string> = new Set(['edit', 'write', 'ast_edit'])

/** If the line of the call is broken, the patch still names the file: the same name twice, without the prefixes of git. */
function pathIn(patch: FilePatch | undefined): string | undefined {
  return patch?.oldName === patch?.newName ? patch?.newName : undefined
}

interface EditedFile {
  readonly file: JsonObject
  readonly patch: FilePatch | undefined
  readonly content: unknown
}

function changeOf(path: string, { file, patch, content }: EditedFile): FileChange | undefined {
  const { diff, oldText, newText, op } = file
  const kind = op === 'delete' ? 'delete' : op === 'create' ? 'add' : 'edit'
  if (patch) return changeOfHunks({ path, kind }, patch.hunks)
  if (typeof oldText === 'string' || typeof newText === 'string')
    return changeOfHunks({ path, kind }, hunksBetween(asString(oldText) ?? '', asString(newText) ?? ''))
  if (typeof diff === 'string') return { path, kind, ...countNumbered(diff) }
  return typeof content === 'string'
    ? changeOfHunks({ path, kind: 'add' }, hunksOfNewFile(content))
    : undefined
}

/** Counts the lines of a diff in which each line has its number after the mark. */
function countNumbered(diff: string): Pick<FileChange, 'added' | 'removed'> {
  const count = (mark: RegExp) => diff.split('\n').filter((line) => mark.test(line)).length
  return { added: count(/^\+\s*\d/), removed: count(/^-\s*\d/) }
}

/** Returns the plan in the details of a result: a list, or the tasks of phases. Undefined if they have none. */
export function todosOf({ todos, phases }: JsonObject): readonly Todo[] | undefined {
  if (Array.isArray(todos)) return todos.flatMap(readTodo)
  if (!Array.isArray(phases)) return undefined
  return phases.flatMap((phase) => asArray(asObject(phase).tasks).flatMap(readTodo))
}

function readTodo(entry: unknown): readonly Todo[] {
  const { id, text, content = text, done, status } = asObject(entry)
  if (typeof content !== 'string') return []
  const ownId = typeof id === 'number' ? String(id) : asString(id)
  const todo = { text: content, status: done === true ? 'completed' : statusOf(status) } as const
  return [ownId === undefined ? todo : { id: ownId, ...todo }]
}

function statusOf(status: unknown): Todo['status'] {
  if (status === 'abandoned') return 'cancelled'
  return isTodoStatus(status) ? status : 'pending'
}
