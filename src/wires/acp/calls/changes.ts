import { compareStrings } from '../../../json/compare-strings.ts'
import {
  asArray,
  asFiniteNumber,
  asObject,
  asString,
  isString,
  type JsonObject,
} from '../../../json/values.ts'
import { changeOfHunks } from '../../../programs/diff/hunks.ts'
import { hunksBetween } from '../../../programs/diff/hunks-between.ts'
import type { ProgramReader } from '../../../programs/reader.ts'
import type { DiffHunk, FileChange, FileChangeKind } from '../../../state/file-change.ts'
import type { KnownCall } from '../memory.ts'
import { diffsIn } from './read-call.ts'
import { answeredCall, changeKind } from './result.ts'

/**
 * Returns the changes to files that a call has made; undefined if it has made none. The program's own record knows the lines. Else the diffs
 * for the client show the changes.
 */
export function changesOf(call: KnownCall, reader: ProgramReader): readonly FileChange[] | undefined {
  return reader.fileChanges?.(answeredCall(call, reader)) ?? changesOfDiffs(call.fields)
}

function changesOfDiffs({ content, locations }: JsonObject): readonly FileChange[] | undefined {
  const changes = diffsIn(content).map((diff) => changeOfDiff(diff, firstLine(diff.path, locations)))
  if (changes.length === 0) return undefined
  return changes.sort((left, right) => compareStrings(left.from ?? left.path, right.from ?? right.path))
}

/** A diff may hold a part of the file. Then its location states the first line. */
function firstLine(path: unknown, locations: unknown): number {
  const place = asArray(locations).find((location) => asObject(location).path === path)
  return asFiniteNumber(asObject(place).line) ?? 1
}

const KINDS: Readonly<Record<ReturnType<typeof changeKind>, FileChangeKind>> = {
  add: 'add',
  delete: 'delete',
  update: 'edit',
}

function changeOfDiff(diff: JsonObject, line: number): FileChange {
  const path = asString(diff.path) ?? ''
  const { move_path, movePath } = asObject(diff._meta)
  const movedTo = [move_path, movePath].find(isString)
  const kind = movedTo === undefined ? KINDS[changeKind(diff)] : 'move'
  const hunks = hunksBetween(asString(diff.oldText) ?? '', asString(diff.newText) ?? '')
  const file = movedTo === undefined ? { path, kind } : { path: movedTo, kind, from: path }
  return changeOfHunks(file, line > 1 ? hunks.map((hunk) => shifted(hunk, line - 1)) : hunks)
}

function shifted(hunk: DiffHunk, lines: number): DiffHunk {
  return { ...hunk, oldStart: hunk.oldStart + lines, newStart: hunk.newStart + lines }
}
