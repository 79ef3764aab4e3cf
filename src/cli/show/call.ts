import { asArray, asString, isObject } from '../../core/json/values.ts'
import {
  callStatus,
  isDenied,
  partialInput,
  subjectField,
  subjectText,
} from '../../core/selectors/call-input.ts'
import { type ShownStatus, STATUS_WORDS } from '../../core/selectors/status.ts'
import { planInInput } from '../../core/selectors/todos.ts'
import type { BlockOf } from '../../core/state/block.ts'
import { relativePath, sumChanges } from '../../core/state/file-change.ts'
import { mcpTool, type ToolKind, toolKind } from '../../programs/tool-kind.ts'
import { countsText, formatDuration } from '../../sinks/markdown/text/values.ts'
import { errorLine, type InputField, inputFields, outputParts } from '../../sinks/markdown/tool-call.ts'
import { STATUS_COLOURS, type StyleName } from '../terminal/style.ts'
import { hang, wrapColumns, wrapWords } from '../terminal/wrap.ts'
import { changeLines } from './diff.ts'
import { requestLines } from './request.ts'
import { shortenedLines, todoLines } from './text-lines.ts'
import type { View } from './view.ts'

type Call = BlockOf<'tool_use'>
type Result = BlockOf<'tool_result'>

/** How the calls of a kind look: the colour of the name, and the lines of an input's field and of an output. */
const KINDS: Readonly<
  Record<ToolKind, { readonly colour: StyleName; readonly input: number; readonly output: number }>
> = {
  command: { colour: 'yellow', input: 8, output: 10 },
  read: { colour: 'blue', input: 3, output: 2 },
  edit: { colour: 'green', input: 12, output: 3 },
  search: { colour: 'blue', input: 3, output: 5 },
  web: { colour: 'cyan', input: 3, output: 5 },
  mcp: { colour: 'magenta', input: 5, output: 6 },
  agent: { colour: 'cyan', input: 5, output: 6 },
  plan: { colour: 'magenta', input: 5, output: 2 },
  other: { colour: 'magenta', input: 5, output: 6 },
}

const ERROR_LINES = 10

/** A failure says its reason at its end. */
const ERROR_TAIL = 7

/** A longer subject, or one with several lines, is below the name of the tool. In columns. */
const LONGEST_SUBJECT = 160

/** A call with its results, and the requests to the person about it. */
interface AnsweredCall {
  readonly call: Call
  readonly results?: readonly Result[]
  readonly requests?: readonly BlockOf<'request'>[]
  /** Whether the end of the input stopped it. */
  readonly isCut?: boolean
}

/** Returns the lines of a call: its name and object, its input, the requests about it, its changes and its output. */
export function callLines(
  view: View,
  { call, results = [], requests = [], isCut = false }: AnsweredCall,
  width: number,
): readonly string[] {
  const kind = toolKind(call.toolName)
  const inner = { view, kind, width: width - 2 }
  const changes = results.flatMap((result) => result.changes ?? [])
  const { subject, fields } = inputOf(view, call)
  const isLong = subject.includes('\n') || subject.length > LONGEST_SUBJECT
  const status = callStatus(call, {
    isWaiting: requests.some((request) => request.status === 'pending'),
    isDenied: isDenied(requests),
    isFailed: results.some(({ isError }) => isError),
    isCut,
  })
  const head = headText(view, call, results, { subject: isLong ? '' : subject, kind, status })
  const hasDiff = changes.some(({ hunks = [] }) => hunks.length > 0)
  const todos = kind === 'plan' && !view.isFull ? planInInput(call.input) : undefined
  const questions = view.isFull || requests.length > 0 ? [] : questionLines(view, call.input, inner.width)
  // The diff, the plan or the request says what the output repeats.
  const isAsked = questions.length > 0 || requests.some((request) => request.kind === 'question')
  const isAnswered = hasDiff || todos !== undefined || isAsked
  const shownFields = view.isFull
    ? fields
    : hasDiff || todos
      ? []
      : fields.filter(({ key }) => key !== 'questions')
  const named =
    changes.length === 1 &&
    changes[0]?.path !== undefined &&
    subject.endsWith(view.text.short(relativePath(changes[0].path, view.cwd), 300))
  const body = [
    ...(isLong ? shortenedLines(view, subject, { limit: KINDS[kind].input, width: inner.width }) : []),
    ...fieldLines(inner, shownFields),
    ...(todos ? todoLines(view, todos, inner.width) : []),
    ...questions,
    ...requests.flatMap((request) => requestLines(view, request, inner.width)),
    ...changes.flatMap((change) => changeLines(view, change, { width: inner.width, isNamed: named })),
    ...results.flatMap((result) =>
      isAnswered && !view.isFull && !result.isError ? [] : outputLines(inner, result),
    ),
  ]
  const mark = markOf(view, call, status)
  return [...hang(mark, wrapWords(head, width - 2)), ...body.map((line) => (line === '' ? '' : `  ${line}`))]
}

/** Returns a result whose call is not known. */
export function resultLines(view: View, result: Result, width: number): readonly string[] {
  const { changes = [] } = result
  const inner = { view, kind: 'other' as const, width: width - 2 }
  const body = [
    ...changes.flatMap((change) => changeLines(view, change, { width: inner.width, isNamed: false })),
    ...outputLines(inner, result),
  ]
  const head = `${view.paint('Result', 'bold')} of a call that is not known`
  return [...hang('● ', wrapWords(head, width - 2)), ...body.map((line) => `  ${line}`)]
}

/** The place that shows the parts of a call. */
interface CallPlace {
  readonly view: View
  readonly kind: ToolKind
  readonly width: number
}

/** Returns what the call works on as redacted text, and the other fields of its input. */
function inputOf(
  { text, cwd }: View,
  call: Call,
): { readonly subject: string; readonly fields: readonly InputField[] } {
  const input = partialInput(call) ?? call.inputText
  if (typeof input === 'string') return { subject: text.redacted(input).trim(), fields: [] }
  if (!isObject(input)) return { subject: '', fields: inputFields(text, input, '') }
  const key = subjectField(input)
  if (key === undefined) return { subject: '', fields: inputFields(text, input, '') }
  const rest = Object.fromEntries(Object.entries(input).filter(([name]) => name !== key))
  return {
    subject: text.redacted(relativePath(subjectText(input, key), cwd)).trim(),
    fields: inputFields(text, rest, ''),
  }
}

function markOf({ paint }: View, call: Call, status: ShownStatus): string {
  if (status === 'failed' || status === 'denied') return paint('✗ ', STATUS_COLOURS[status], 'bold')
  return paint('● ', STATUS_COLOURS[call.status === 'pending' ? 'running' : 'complete'])
}

function headText(
  { text, paint }: View,
  call: Call,
  results: readonly Result[],
  {
    subject,
    kind,
    status,
  }: { readonly subject: string; readonly kind: ToolKind; readonly status: ShownStatus },
): string {
  const mcp = mcpTool(call.toolName)
  const name = mcp ? `${text.short(mcp.server)} · ${text.short(mcp.tool)}` : text.short(call.toolName)
  const changes = results.flatMap((result) => result.changes ?? [])
  const durationMs = results.find((result) => result.durationMs !== undefined)?.durationMs ?? 0
  const facts = [
    changes.length > 0 ? countsText(sumChanges(changes)) : '',
    durationMs >= 1000 ? formatDuration(durationMs) : '',
    stateText(call, status),
  ].filter((fact) => fact !== '')
  const parts = [paint(name, 'bold', KINDS[kind].colour), subject, paint(facts.join(' · '), 'dim')]
  return parts.filter((part) => part !== '').join('  ')
}

/** A finished call has its output in place of a word. */
function stateText({ inputText }: Call, status: ShownStatus): string {
  if (status === 'complete') return ''
  return status === 'running' && inputText !== undefined ? 'input streams' : STATUS_WORDS[status]
}

/** Short fields share one line. The two texts of an edit look like a diff. */
function fieldLines({ view, kind, width }: CallPlace, fields: readonly InputField[]): readonly string[] {
  const { text, paint } = view
  const isShort = ({ key, shown }: InputField) =>
    key !== undefined && !shown.includes('\n') && shown.length <= 60
  const short = fields.filter(isShort).map(({ key = '', shown }) => {
    const isPlain = kind === 'command' && key === 'description' && !view.isFull
    return isPlain ? shown : `${text.short(key)}: ${shown}`
  })
  const long = fields
    .filter((field) => !isShort(field))
    .flatMap(({ key, shown }) => {
      const style = STYLES[key ?? ''] ?? 'dim'
      const mark = style === 'green' ? '+ ' : style === 'red' ? '- ' : '  '
      const lines = shortenedLines(view, shown, { limit: KINDS[kind].input, width: width - 2 })
      const label =
        key === undefined || mark !== '  ' ? [] : wrapColumns(paint(`${text.short(key)}:`, 'dim'), width)
      return [...label, ...lines.map((line) => paint(mark + line, style))]
    })
  return [
    ...wrapWords(short.join(' · '), width).flatMap((line) => (line === '' ? [] : paint(line, 'dim'))),
    ...long,
  ]
}

/** The fields of an edit in the programs' inputs. */
const STYLES: Readonly<Record<string, StyleName>> = {
  old_string: 'red',
  oldString: 'red',
  new_string: 'green',
  newString: 'green',
  content: 'green',
}

/** Returns the texts of the questions to the person. A request shows their options. */
function questionLines({ text, paint }: View, input: unknown, width: number): readonly string[] {
  const questions = isObject(input) ? asArray(input.questions) : []
  return questions.flatMap((each) => {
    const words = isObject(each) ? text.short(asString(each.question) ?? '', 300) : ''
    return words === '' ? [] : wrapWords(paint(words, 'dim'), width)
  })
}

function outputLines({ view, kind, width }: CallPlace, { output, isError }: Result): readonly string[] {
  const { text, paint } = view
  const [limit, tail] = isError ? [ERROR_LINES, ERROR_TAIL] : [KINDS[kind].output]
  const lines = outputParts(text, output).flatMap((part) =>
    shortenedLines(view, 'words' in part ? part.words : `[${part.file}]`, { limit, width, tail }),
  )
  if (!isError) return lines.map((line) => paint(line, 'dim'))
  return lines.length === 0 ? [errorLine(text, output) || 'no output'] : lines
}
