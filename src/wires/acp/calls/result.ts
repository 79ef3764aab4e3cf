import { compareStrings } from '../../../core/json/lists.ts'
import {
  asArray,
  asFiniteNumber,
  asObject,
  asString,
  isObject,
  isString,
  type JsonObject,
} from '../../../core/json/values.ts'
import type { DiffHunk, FileChange, FileChangeKind } from '../../../core/state/file-change.ts'
import { changeOfHunks, hunksBetween } from '../../../programs/diff.ts'
import type { AnsweredCall, ProgramReader, ReadResult } from '../../../programs/reader.ts'
import { readContent, textOfPart } from '../blocks/content.ts'
import { type Call, diffsIn, shownCall } from './call.ts'

/** Returns the input of a call. A call without a raw input has the facts that the client shows. */
export function inputOf(call: Call, reader: ProgramReader): unknown {
  const { fields } = call
  const own = reader.input?.(shownCall(call))
  if (own !== undefined) return own
  if (fields.rawInput !== undefined) return fields.rawInput
  const changes = diffsIn(fields.content).map(({ path, ...diff }) => ({ path, kind: changeKind(diff) }))
  if (changes.length > 0) return { changes }
  const { title, locations } = fields
  const paths = asArray(locations).length === 0 ? {} : { locations }
  return title === undefined ? paths : { title, ...paths }
}

/** Returns what a diff does to its file: some agents state it, and a diff without an old text adds the file. */
function changeKind({ oldText, _meta }: JsonObject): 'add' | 'delete' | 'update' {
  const { kind } = asObject(_meta)
  if (kind === 'add' || kind === 'delete' || kind === 'update') return kind
  return isString(oldText) ? 'update' : 'add'
}

/** Returns the result of a call as its program means it. `shown` is the text for the client's display. */
export function ownResult({ fields }: Call, reader: ProgramReader, shown?: unknown): ReadResult | undefined {
  const { rawOutput } = fields
  return reader.result?.(asObject(rawOutput), shown, rawOutput)
}

/**
 * Returns the output of a call. The raw output comes first, because the content is for the client's display. The
 * output of a terminal may be only in an agent's own facts.
 */
export function outputOf(call: Call, reader: ProgramReader): unknown {
  const { fields, terminal } = call
  if (terminal !== undefined) return terminal
  const own = ownResult(call, reader, shownOutput(fields.content))
  if (own?.output !== undefined) return own.output
  const { rawOutput } = fields
  if (!isObject(rawOutput)) return rawOutput ?? shownOutput(fields.content)
  return asString(rawOutput.output) ?? asString(rawOutput.error) ?? rawOutput
}

/** Returns a call with its result, for a program's reader. */
export function answeredCall(call: Call, reader: ProgramReader): AnsweredCall {
  const { toolName, fields, response } = call
  const { rawInput: input, rawOutput, content } = fields
  return {
    call: { toolName, input },
    record: response ?? asObject(asObject(rawOutput).metadata ?? rawOutput),
    output:
      rawOutput === undefined && call.terminal === undefined ? partsOf(content) : outputOf(call, reader),
  }
}

function partsOf(content: unknown): readonly unknown[] {
  return asArray(content).flatMap((part) => asObject(part).content ?? [])
}

/** Returns the text of the content, or the content itself if it has more than texts. A diff is a change, and no output. */
function shownOutput(content: unknown): unknown {
  const parts = asArray(content).filter((part) => asObject(part).type === 'content')
  const read = parts.map((part) => readContent(asObject(part).content))
  if (read.every((part) => part?.type === 'text'))
    return read.map((part) => part && textOfPart(part)).join('\n')
  return parts.map((part) => asObject(part).content)
}

/**
 * Returns the changes to files that a call has made; undefined if it has made none. The program's own record knows
 * the lines. Else the diffs for the client show the changes.
 */
export function changesOf(call: Call, reader: ProgramReader): readonly FileChange[] | undefined {
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
