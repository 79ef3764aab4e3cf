import { asArray, asObject, asString, isObject, isString, type JsonObject } from '../../../json/values.ts'
import type { AnsweredCall, ProgramReader } from '../../../programs/reader.ts'
import { readContent, textOfPart } from '../blocks/content.ts'
import type { KnownCall } from '../memory.ts'
import { diffsIn } from './read-call.ts'

/** Returns the input of a call. A call without a raw input has the facts that the client shows. */
export function inputOf({ fields }: KnownCall): unknown {
  if (fields.rawInput !== undefined) return fields.rawInput
  const changes = diffsIn(fields.content).map(({ path, ...diff }) => ({ path, kind: changeKind(diff) }))
  if (changes.length > 0) return { changes }
  const { title, locations } = fields
  const paths = asArray(locations).length === 0 ? {} : { locations }
  return title === undefined ? paths : { title, ...paths }
}

/** Returns what a diff does to its file: some agents state it, and a diff without an old text adds the file. */
export function changeKind({ oldText, _meta }: JsonObject): 'add' | 'delete' | 'update' {
  const { kind } = asObject(_meta)
  if (kind === 'add' || kind === 'delete' || kind === 'update') return kind
  return isString(oldText) ? 'update' : 'add'
}

/**
 * Returns the output of a call. The raw output comes first, because the content is for the client's display. The output of a terminal may be
 * only in an agent's own facts.
 */
export function outputOf({ fields, terminal }: KnownCall, reader: ProgramReader): unknown {
  if (terminal !== undefined) return terminal
  const own = reader.result?.(asObject(fields.rawOutput), shownOutput(fields.content))
  if (own?.output !== undefined) return own.output
  const { rawOutput } = fields
  if (!isObject(rawOutput)) return rawOutput ?? shownOutput(fields.content)
  return asString(rawOutput.output) ?? asString(rawOutput.error) ?? rawOutput
}

/** Returns a call with its result, for a program's reader. */
export function answeredCall(call: KnownCall, reader: ProgramReader): AnsweredCall {
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
