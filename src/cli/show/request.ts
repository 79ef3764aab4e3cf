import { STATUS_WORDS } from '../../core/selectors/status.ts'
import type { BlockOf } from '../../core/state/block.ts'
import type { RequestOption } from '../../core/state/request.ts'
import { STATUS_COLOURS } from '../terminal/style.ts'
import { hang, wrapWords } from '../terminal/wrap.ts'
import type { View } from './view.ts'

type Request = BlockOf<'request'>

/** Returns what the program asked the person, the options and the answer. */
export function requestLines(view: View, request: Request, width: number): readonly string[] {
  const { text, paint } = view
  const { kind, title, questions = [], options = [], comment, status } = request
  const name = kind === 'permission' ? 'Permission' : 'Question'
  const words = `${paint(name, 'bold')} ${text.short(title, 300)} → ${answerText(view, request)}`
  const list =
    questions.length > 0
      ? questions.flatMap((_, at) => questionLines(view, request, at))
      : optionLines(view, options, status === 'pending' || view.isFull)
  const note = comment === undefined ? [] : [`Comment: ${text.redacted(comment)}`]
  return [
    ...hang(paint('? ', 'magenta', 'bold'), wrapWords(words, width - 2)),
    ...[...list, ...note].flatMap((line) => wrapWords(line, width - 2).map((each) => `  ${each}`)),
  ]
}

function questionLines(
  view: View,
  { title, answer, questions = [] }: Request,
  at: number,
): readonly string[] {
  const { text, paint, isFull } = view
  const question = questions[at]
  if (!question) return []
  const chosen = typeof answer === 'object' ? (answer[at] ?? []) : []
  const answers = chosen.map((each) => text.short(each, 300))
  const labels = question.options.map(({ label }) => text.short(label, 300))
  // An answer in the person's own words is none of the options.
  const own = answers.filter((each) => !labels.includes(each))
  // The only question is usually the title.
  const isTitle = question.text === title && !isFull
  const words = [isTitle ? '' : text.short(question.text, 1000), paint(own.join(', '), 'bold')]
  const line = words.filter((part) => part !== '').join(' ')
  return [
    ...(line === '' ? [] : [line]),
    ...question.options.map((option, place) => {
      const isChosen = answers.includes(labels[place] ?? '')
      const line = optionText(view, option)
      return isChosen ? paint(`● ${line}`, 'bold') : paint(`○ ${line}`, 'dim')
    }),
  ]
}

function optionLines(view: View, options: readonly RequestOption[], isShown: boolean): readonly string[] {
  return isShown ? options.map((option) => view.paint(`○ ${optionText(view, option)}`, 'dim')) : []
}

function optionText({ text }: View, { label, description = '' }: RequestOption): string {
  return description === ''
    ? text.short(label, 300)
    : `${text.short(label, 300)}: ${text.short(description, 300)}`
}

function answerText({ text, paint }: View, { status, answer, denied, options = [] }: Request): string {
  const label = typeof answer === 'string' ? (options.find(({ id }) => id === answer)?.label ?? answer) : ''
  if (denied)
    return `${paint('denied', 'red', 'bold')}${/^(deny|denied|)$/i.test(label) ? '' : ` (${text.short(label, 300)})`}`
  if (label !== '') return paint(text.short(label, 300), 'bold')
  if (answer !== undefined) return paint('answered', 'bold')
  return status === 'pending'
    ? paint(STATUS_WORDS.waiting, STATUS_COLOURS.waiting, 'bold')
    : 'no answer is known'
}
