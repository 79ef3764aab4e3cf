import { asArray, asFiniteNumber, asObject, asString, type JsonObject } from '../../core/json/values.ts'
import type { DiffHunk, FileChange } from '../../core/state/file-change.ts'
import { changeOfHunks, hunksOfNewFile } from '../diff/hunks.ts'
import { type FilePatch, fileOf, readPatch } from '../diff/patch.ts'
import { fileChange, kindOf } from './file-change.ts'

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
