import { asArray, asString, isObject, type JsonObject } from '../../core/json/values.ts'
import { callSubject, isDenied, partialInput } from '../../core/selectors/call-input.ts'
import { STATUS_WORDS } from '../../core/selectors/status.ts'
import type { BlockOf } from '../../core/state/block.ts'
import { plainOutput } from '../../core/state/content.ts'
import { type FileChange, type FileChangeKind, sumChanges } from '../../core/state/file-change.ts'
import { hunksText } from '../../programs/diff.ts'
import { escapeMarkdown, fence } from './text/escape.ts'
import type { Details, SessionText, Span } from './text/session-text.ts'
import { formatBytes, formatDuration } from './text/values.ts'

type Call = BlockOf<'tool_use'>
type Result = BlockOf<'tool_result'>

/** A call with its results, and the requests to the person about it. */
interface AnsweredCall {
  readonly call: Call
  readonly results: readonly Result[]
  readonly requests: readonly BlockOf<'request'>[]
  /** Whether the end of the input stopped it. */
  readonly isCut: boolean
}

/** The two ways into the document. */
export interface Writer {
  readonly text: SessionText
  readonly details: Details
}

/** Returns a call as a summary that hides its input, its changes and its output. */
export function callPiece({ text, details }: Writer, answered: AnsweredCall): string {
  const { call, results } = answered
  const known = partialInput(call)
  const input = known === undefined && call.inputText !== undefined ? call.inputText : known
  const subject = subjectOf(text, known)
  const pieces = inputPieces(text, input, subject)
  const changes = results.flatMap((result) => result.changes ?? [])
  const hasDiff = changes.some(({ hunks }) => hunks !== undefined && hunks.length > 0)
  const shownInput = hasDiff ? [details.around(['Input'], pieces)] : pieces
  return details.around(
    [{ bold: text.short(call.toolName) }, { code: subject }, ...stateOf(text, answered, changes)],
    [
      ...changes.flatMap((change) => changePieces(text, change)),
      ...shownInput,
      ...results.flatMap((each) => outputOf(text, each)),
    ],
  )
}

/** Returns a result whose call is not known. */
export function resultPiece({ text, details }: Writer, result: Result): string {
  const { changes = [] } = result
  const failed = result.isError ? [`failed: ${errorLine(text, result.output)}`] : []
  return details.around(
    [{ bold: 'Result of an unknown call' }, ...failed],
    [...changes.flatMap((change) => changePieces(text, change)), ...outputOf(text, result)],
  )
}

/** Returns the output below a label. */
function outputOf(text: SessionText, { output }: Result): readonly string[] {
  const pieces = outputPieces(text, output)
  return pieces.length === 0 ? [] : ['Output:', ...pieces]
}

function stateOf(
  text: SessionText,
  { call, results, requests, isCut }: AnsweredCall,
  changes: readonly FileChange[],
): readonly Span[] {
  const failed = results.find(({ isError }) => isError)
  const durationMs = results.find((result) => result.durationMs !== undefined)?.durationMs
  const spans: Span[] = []
  if (changes.length > 0) spans.push(countsOf(sumChanges(changes)))
  if (durationMs !== undefined && durationMs >= 1000) spans.push(`(${formatDuration(durationMs)})`)
  // The request after the call has the person's reason.
  if (isDenied(requests)) spans.push({ bold: STATUS_WORDS.denied })
  else if (failed) spans.push({ bold: STATUS_WORDS.failed }, errorLine(text, failed.output))
  else if (call.status === 'error') spans.push({ bold: STATUS_WORDS.failed })
  else if (call.status === 'pending')
    spans.push(call.inputText === undefined ? `… ${STATUS_WORDS.running}` : '… input streams')
  else if (isCut) spans.push({ bold: STATUS_WORDS.interrupted })
  return spans
}

/** The effect of a change of that kind on the file. */
export const VERBS: Readonly<Record<FileChangeKind, string>> = {
  add: 'added',
  edit: 'edited',
  delete: 'deleted',
  move: 'moved',
}

/** Returns one line for a change to a file, and its diff if the lines are known. */
export function changePieces(text: SessionText, change: FileChange): readonly string[] {
  const from = change.from === undefined ? '' : ` from ${text.code(change.from, 300)}`
  const line = `${text.code(change.path, 300)} ${VERBS[change.kind]}${from} (${countsOf(change)})`
  return change.hunks?.length ? [line, text.block(hunksText(change.hunks), 'diff')] : [line]
}

/** Returns the lines of a change as `+3 −1`. */
export function countsOf({ added, removed }: Pick<FileChange, 'added' | 'removed'>): string {
  return `+${added} −${removed}`
}

const MAX_LINE = 100

/** Returns what a call works on in a few words, or nothing. They are redacted and not escaped. */
function subjectOf(text: SessionText, input: unknown): string {
  return text.short(callSubject(input))
}

/**
 * Returns the input of a call without the field that is the subject, because the summary shows it. Each text with
 * several lines is a block of code, because JSON would hide its lines.
 */
function inputPieces(text: SessionText, input: unknown, subject: string): readonly string[] {
  const lines: string[] = []
  const blocks: string[] = []
  for (const { key, shown, language } of inputFields(text, input, subject)) {
    const name = key === undefined ? '' : text.code(key)
    if (name === '') blocks.push(fence(shown, language))
    else if (!shown.includes('\n') && shown.length <= MAX_LINE)
      lines.push(`- ${name}: ${text.code(shown, MAX_LINE)}`)
    else blocks.push(`${name}:\n\n${text.block(shown, language)}`)
  }
  return [lines.join('\n'), ...blocks]
}

/** A field of a call's input, or the whole input if it is no object. */
export interface InputField {
  /** The name as it is in the input. */
  readonly key: string | undefined
  /** The value as redacted text: JSON, if it is no text. */
  readonly shown: string
  readonly language: string
}

/** Returns the fields of an input without the one that is the subject. */
export function inputFields(text: SessionText, input: unknown, subject: string): readonly InputField[] {
  if (input === undefined || input === null || input === '' || input === subject) return []
  if (typeof input === 'string') return [{ key: undefined, shown: text.redacted(input), language: '' }]
  if (!isObject(input)) return [{ key: undefined, shown: text.json(input), language: 'json' }]
  const fields = Object.entries(input).map(([key, value]) => {
    const shown = typeof value === 'string' ? text.redacted(value) : text.json(value)
    return { key, shown, language: languageOf(key, value) }
  })
  return fields.filter(({ shown }) => shown !== subject || subject === '')
}

function languageOf(key: string, value: unknown): string {
  if (typeof value !== 'string') return 'json'
  return key === 'command' ? 'sh' : ''
}

/** Returns the output of a tool: its texts as blocks of code, the names of images and files, and other values as JSON. */
function outputPieces(text: SessionText, output: unknown): readonly string[] {
  return outputParts(text, output).map((part) => {
    if ('words' in part) return text.output(part.words)
    return `*${escapeMarkdown(part.file)}*`
  })
}

/** A part of an output: text, or a note about a file that is no text. */
type OutputPart = { readonly words: string } | { readonly file: string }

/** Returns the parts of an output. Their texts are redacted and not shortened. Values that are no text are JSON. */
export function outputParts(text: SessionText, output: unknown): readonly OutputPart[] {
  if (output === undefined || output === null || output === '') return []
  const parts = asArray(plainOutput(Array.isArray(output) ? output : [output]))
  return parts.map((part) => partOf(text, part))
}

function partOf(text: SessionText, part: unknown): OutputPart {
  if (typeof part === 'string') return { words: text.redacted(part) }
  if (!isObject(part)) return { words: text.json(part) }
  const onlyText = part.type === 'text' ? asString(part.text) : undefined
  if (onlyText !== undefined) return { words: text.redacted(onlyText) }
  return binaryPart(text, part) ?? { words: text.json(part) }
}

function binaryPart(text: SessionText, part: JsonObject): OutputPart | undefined {
  if (part.type !== 'image' && part.type !== 'audio') return undefined
  const source = isObject(part.source) ? part.source : part
  const data = asString(source.data)
  if (data === undefined) return undefined
  const mediaType = asString(source.mediaType) ?? asString(source.mimeType) ?? ''
  return { file: `${part.type === 'image' ? 'Image' : 'Audio'}: ${text.short(mediaType)} ${sizeOf(data)}` }
}

/** Returns the size of bytes in base64. */
export function sizeOf(base64: string): string {
  return formatBytes(Math.floor((base64.length * 3) / 4))
}

/** Returns the first line of a failed output, in a few words. */
export function errorLine(text: SessionText, output: unknown): string {
  if (typeof output === 'string') return text.first(output)
  const first = asArray(output).find((part) => isObject(part) && typeof part.text === 'string')
  return isObject(first) ? text.first(asString(first.text) ?? '') : ''
}
