import { partialInput } from '../../core/selectors/call-input.ts'
import { isDenied } from '../../core/selectors/call-status.ts'
import { STATUS_WORDS } from '../../core/selectors/status-words.ts'
import type { BlockOf } from '../../core/state/block.ts'
import { type FileChange, sumChanges } from '../../core/state/file-change.ts'
import { changePieces, countsOf } from './changes.ts'
import type { SessionText } from './text/session-text.ts'
import type { Details, Span } from './text/summary.ts'
import { formatDuration } from './text/values.ts'
import { errorLine, inputPieces, outputPieces, subjectOf } from './tool-values.ts'

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
