import {
  asArray,
  asFiniteNumber,
  asObject,
  asString,
  isString,
  type JsonObject,
} from '../../core/json/values.ts'
import type { DiffHunk, FileChange } from '../../core/state/file-change.ts'
import { changeOfHunks, countLines, hunksBetween, hunksOfNewFile, linesOf } from '../diff.ts'
import type { AnsweredCall } from '../reader.ts'
import { textOf } from './texts.ts'

/**
 * Returns the changes to files that a successful call has made, or undefined if its tool changes none. The program's
 * own diff stands in the tool's record. Without a record, the call's input gives the number of lines, but not their
 * place in the file.
 */
export function fileChangesOf(answered: AnsweredCall): readonly FileChange[] | undefined {
  switch (answered.call.toolName) {
    case 'Write':
      return asList(writtenFile(answered))
    case 'Edit':
    case 'MultiEdit':
      return asList(editedFile(answered))
    case 'NotebookEdit':
      return asList(editedNotebook(answered))
    case 'Bash':
      return filesOfCommand(answered.record)
    default:
      return undefined
  }
}

/** Returns the changes that the record of a successful call states, if the call itself is unknown because its line is broken. */
export function recordedChanges(record: JsonObject): readonly FileChange[] | undefined {
  const { oldString: old_string, newString: new_string, structuredPatch, updated_file } = record
  const editor = old_string === undefined ? 'Write' : 'Edit'
  const toolName = updated_file ? 'NotebookEdit' : structuredPatch ? editor : 'Bash'
  return fileChangesOf({ call: { toolName, input: { old_string, new_string } }, record, output: '' })
}

function asList(change: FileChange | undefined): readonly FileChange[] | undefined {
  return change && [change]
}

/** Nothing but the record says how many lines of an overwritten file are gone. */
function writtenFile(answered: AnsweredCall): FileChange | undefined {
  const { call, record } = answered
  const input = asObject(call.input)
  const path = asString(record.filePath) ?? asString(input.file_path)
  if (path === undefined) return undefined
  const content = asString(record.content) ?? asString(input.content) ?? ''
  const isNew =
    record.type === undefined ? textOf(answered).startsWith('File created') : record.type === 'create'
  if (isNew) return changeOfHunks({ path, kind: 'add' }, hunksOfNewFile(content))
  const hunks = readHunks(record.structuredPatch)
  return hunks
    ? changeOfHunks({ path, kind: 'edit' }, hunks)
    : { path, kind: 'edit', added: linesOf(content).length, removed: 0 }
}

/** An edit that replaces an empty text makes a new file. */
function editedFile({ call, record }: AnsweredCall): FileChange | undefined {
  const input = asObject(call.input)
  const path = asString(record.filePath) ?? asString(input.file_path)
  if (path === undefined) return undefined
  const edits = call.toolName === 'MultiEdit' ? asArray(input.edits).map(asObject) : [input]
  const kind = edits[0]?.old_string === '' ? 'add' : 'edit'
  const hunks = readHunks(record.structuredPatch) ?? []
  if (hunks.length > 0) return changeOfHunks({ path, kind }, hunks)
  return { path, kind, ...countLines(edits.flatMap(hunksOfEdit)) }
}

function hunksOfEdit({ old_string, new_string }: JsonObject): readonly DiffHunk[] {
  return hunksBetween(asString(old_string) ?? '', asString(new_string) ?? '')
}

/** The record of a notebook has the whole file before and after. */
function editedNotebook({ call, record }: AnsweredCall): FileChange | undefined {
  const input = asObject(call.input)
  const path = asString(record.notebook_path) ?? asString(input.notebook_path)
  if (path === undefined) return undefined
  const { original_file: before, updated_file: after } = record
  if (typeof before === 'string' && typeof after === 'string')
    return changeOfHunks({ path, kind: 'edit' }, hunksBetween(before, after))
  const added = input.edit_mode === 'delete' ? 0 : linesOf(asString(input.new_source) ?? '').length
  return { path, kind: 'edit', added, removed: 0 }
}

/** From 2.1.269 on, the program can compare the files before and after a command. It shows the diffs of the first files only. */
function filesOfCommand({ bashEditDiff }: JsonObject): readonly FileChange[] | undefined {
  const files = asArray(asObject(bashEditDiff).files).flatMap((file) => fileOfCommand(asObject(file)) ?? [])
  return files.length === 0 ? undefined : files
}

function fileOfCommand({ filePath, hunks, created, deleted }: JsonObject): FileChange | undefined {
  const path = asString(filePath)
  if (path === undefined) return undefined
  const kind = created === true ? 'add' : deleted === true ? 'delete' : 'edit'
  return changeOfHunks({ path, kind }, readHunks(hunks) ?? [])
}

/** Returns the well-formed hunks of a program's diff, or undefined if there is no diff. */
function readHunks(patch: unknown): readonly DiffHunk[] | undefined {
  return Array.isArray(patch) ? patch.flatMap((hunk) => readHunk(hunk) ?? []) : undefined
}

function readHunk(hunk: unknown): DiffHunk | undefined {
  const { lines, ...numbers } = asObject(hunk)
  const oldStart = asFiniteNumber(numbers.oldStart)
  const oldLines = asFiniteNumber(numbers.oldLines)
  const newStart = asFiniteNumber(numbers.newStart)
  const newLines = asFiniteNumber(numbers.newLines)
  if (oldStart === undefined || oldLines === undefined || newStart === undefined || newLines === undefined)
    return undefined
  return { oldStart, oldLines, newStart, newLines, lines: asArray(lines).filter(isString) }
}
