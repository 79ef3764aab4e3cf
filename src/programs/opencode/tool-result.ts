import { omitUndefined } from '../../core/json/fields.ts'
import {
  asArray,
  asFiniteNumber,
  asObject,
  asString,
  isString,
  type JsonObject,
} from '../../core/json/values.ts'
import type { DiffHunk, FileChange, FileChangeKind } from '../../core/state/file-change.ts'
import { changeOfHunks, type FilePatch, fileOf, hunksIn, hunksOfNewFile, readPatch } from '../diff.ts'
import type { ProgramReader, ShownCall } from '../reader.ts'

/** The tool that OpenCode runs in the place of one that it does not have. It completes, and tells the model what is wrong. */
export const UNKNOWN_TOOL = 'invalid'

/** Returns the exit code of a command. OpenCode completes a command that failed, and so no exit code makes the result an error. */
export function exitCodeIn({ metadata }: JsonObject): number | undefined {
  return asFiniteNumber(asObject(metadata).exit)
}

/** Returns the changes to files that a completed call reports, or undefined if it reports none. */
export function toolChanges({ status, input, metadata }: JsonObject): readonly FileChange[] | undefined {
  if (status !== 'completed') return undefined
  const changes = changesOf(asObject(metadata), asObject(input))
  return changes.length === 0 ? undefined : changes
}

function changesOf(metadata: JsonObject, input: JsonObject): readonly FileChange[] {
  const files = asArray(metadata.files).flatMap((file) => patchedFile(asObject(file)))
  if (files.length > 0) return files
  const edits = asArray(metadata.results).map(asObject)
  if (edits.length > 0) return edits.flatMap((edit) => editedFiles(edit, input))
  const edited = editedFiles(metadata, input)
  return edited.length > 0 ? edited : writtenFile(metadata, input)
}

/** Reads a file of `apply_patch`. */
function patchedFile(file: JsonObject): readonly FileChange[] {
  const { additions, deletions } = file
  const filePath = asString(file.filePath)
  const path = asString(file.movePath) ?? filePath
  if (path === undefined) return []
  const from = path === filePath ? undefined : filePath
  return [
    fileChange({ path, from, kind: kindOf(file), patch: file.patch ?? file.diff, additions, deletions }),
  ]
}

/** Reads the result of `edit`, or of one edit of `multiedit`. The tool `patch` of early versions changes several files. */
function editedFiles({ diff, filediff, exists }: JsonObject, input: JsonObject): readonly FileChange[] {
  const { file, patch = diff, additions, deletions } = asObject(filediff)
  const path = asString(file) ?? asString(input.filePath)
  if (typeof patch !== 'string' && file === undefined) return []
  if (path === undefined) return readPatch(asString(patch) ?? '').flatMap(namedFile)
  // Without a text to replace, the call writes a whole new file.
  const kind = input.oldString === '' || exists === false ? 'add' : 'edit'
  return [fileChange({ path, kind, patch, additions, deletions })]
}

function namedFile(patch: FilePatch): readonly FileChange[] {
  const { path, kind } = fileOf(patch)
  return path === undefined ? [] : [changeOfHunks({ path, kind }, patch.hunks)]
}

/** Reads the result of `write`, which has no diff. The lines that an older file had are unknown. */
function writtenFile({ filepath, exists }: JsonObject, { content }: JsonObject): readonly FileChange[] {
  const path = asString(filepath)
  if (path === undefined || typeof exists !== 'boolean') return []
  if (exists) return [{ path, kind: 'edit', added: 0, removed: 0 }]
  return [changeOfHunks({ path, kind: 'add' }, newFile(asString(content) ?? ''))]
}

const NO_NEWLINE = '\\ No newline at end of file'

function newFile(content: string): readonly DiffHunk[] {
  const hunks = hunksOfNewFile(content)
  if (content.endsWith('\n')) return hunks
  return hunks.map((hunk) => ({ ...hunk, lines: [...hunk.lines, NO_NEWLINE] }))
}

const ERROR_SUFFIX = ':error'

/** Returns the id of the block that shows how a message ended early. */
export function errorBlockId(messageId: string): string {
  return messageId + ERROR_SUFFIX
}

/** Returns the message of such a block, or undefined for any other block id. */
export function messageIdOfError(blockId: string): string | undefined {
  return blockId.endsWith(ERROR_SUFFIX) ? blockId.slice(0, -ERROR_SUFFIX.length) : undefined
}

/** Reads the tag with which OpenCode frames a task's output: `<task id="…" state="…">`. */
export function parseTaskTag(output: string): { readonly id: string; readonly state: string } | undefined {
  const [, id, state] = /^<task id="([^"]*)" state="([^"]*)">/.exec(output) ?? []
  return id === undefined || state === undefined ? undefined : { id, state }
}

/** Returns the subagent's report without the frame. The report itself may contain such tags. */
export function extractReport(output: string): string {
  for (const tag of ['task_result', 'task_error']) {
    const from = output.indexOf(`<${tag}>`)
    const to = output.lastIndexOf(`</${tag}>`)
    if (from >= 0 && to > from)
      return output
        .slice(from + tag.length + 2, to)
        .replace(/^\n/, '')
        .replace(/\n$/, '')
  }
  const trailer = output.lastIndexOf('\n<task_metadata>')
  return trailer < 0 ? output : output.slice(0, trailer).trimEnd()
}

/** A change to one file, in the words of OpenCode. */
interface ReportedChange {
  readonly path: string
  readonly kind: FileChangeKind
  readonly from?: string | undefined
  /** A unified diff. */
  readonly patch?: unknown
  readonly additions?: unknown
  readonly deletions?: unknown
}

/**
 * Returns a change with the lines of its diff. The diff decides the numbers of lines. If the diff is unreadable,
 * OpenCode's own numbers stand.
 */
export function fileChange({ path, kind, from, patch, additions, deletions }: ReportedChange): FileChange {
  const text = asString(patch) ?? ''
  const hunks = hunksIn(text)
  if (hunks.length > 0) return changeOfHunks({ path, kind, from }, hunks)
  const added = asFiniteNumber(additions) ?? countMarks(text.split('\n'), '+')
  const removed = asFiniteNumber(deletions) ?? countMarks(text.split('\n'), '-')
  return omitUndefined({ path, kind, added, removed, from })
}

/** Counts the lines with a mark in a malformed diff. The head of a file repeats its mark. */
function countMarks(lines: readonly string[], mark: string): number {
  return lines.filter((line) => line.startsWith(mark) && !line.startsWith(mark.repeat(3))).length
}

const KINDS: ReadonlyMap<unknown, FileChangeKind> = new Map<unknown, FileChangeKind>([
  ['add', 'add'],
  ['added', 'add'],
  ['delete', 'delete'],
  ['deleted', 'delete'],
  ['move', 'move'],
])

/** Returns the kind of a change that names its kind, or that has the texts before and after it, as in earlier versions. */
export function kindOf({ type, status, before, after }: JsonObject): FileChangeKind {
  const named = KINDS.get(type ?? status)
  if (named) return named
  if (before === '' && after !== '') return 'add'
  return after === '' && before !== undefined ? 'delete' : 'edit'
}

/** Reads OpenCode for a protocol. */
export const opencodeReader: ProgramReader = {
  unknownTool: UNKNOWN_TOOL,
  toolName: (call) =>
    isUnknownTool(call) ? UNKNOWN_TOOL : (call.toolName ?? nameInTitle(call) ?? nameByInput(call)),
  result: (record) => ({ exitCode: exitCodeIn(record) }),
  agentResult({ output, record }) {
    const text = asString(output)
    const tag = text === undefined ? undefined : parseTaskTag(text)
    const agentId = tag?.id ?? asString(record.sessionId)
    if (tag?.state === 'running') return { agentId, isLaunch: true }
    return { agentId, isError: tag?.state === 'error', report: text && extractReport(text) }
  },
  fileChanges: ({ call, record }) =>
    toolChanges({ status: 'completed', input: call.input, metadata: record }),
}

function isUnknownTool({ kind, input }: ShownCall): boolean {
  const { tool, error } = asObject(input)
  return kind === 'other' && isString(tool) && isString(error)
}

/** The title of a call whose input is still to come is the name. Such an input holds at most the working folder. */
function nameInTitle({ title = '', input, isPending }: ShownCall): string | undefined {
  if (!isPending || input === undefined) return undefined
  const { cwd, ...others } = asObject(input)
  return Object.keys(others).length === 0 && /^[\w.-]+$/.test(title) ? title : undefined
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

function nameByInput({ kind, input }: ShownCall): string | undefined {
  const fields = asObject(input)
  return BY_INPUT.find(([of, field]) => of === kind && field in fields)?.[2]
}
