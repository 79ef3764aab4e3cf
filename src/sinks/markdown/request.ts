import type { BlockOf } from '../../state/block.ts'
import type { RequestOption } from '../../state/request.ts'
import type { SessionText } from './text/session-text.ts'

type Request = BlockOf<'request'>

/** Returns what the program asked the person, and the answer. */
export function requestPieces(text: SessionText, request: Request): readonly string[] {
  const { kind, title, questions = [], options = [], comment } = request
  const name = kind === 'permission' ? 'Permission' : 'Question'
  const list =
    questions.length > 0
      ? questions.flatMap((each, at) => questionLines(text, request, each, at))
      : optionLines(text, options)
  return [
    `> **${name}:** ${text.inline(title, 300)} → ${answerOf(text, request)}`,
    list.join('\n'),
    ...(comment === undefined ? [] : [`Comment: ${text.inline(comment, 1000)}`]),
  ]
}

function questionLines(
  text: SessionText,
  { answer }: Request,
  { text: question, options }: NonNullable<Request['questions']>[number],
  at: number,
): readonly string[] {
  const answers = typeof answer === 'object' ? (answer[at] ?? []) : []
  const chosen =
    answers.length === 0 ? '' : ` **${answers.map((each) => text.inline(each, 300)).join(', ')}**`
  return [
    `- ${text.inline(question, 1000)}${chosen}`,
    ...optionLines(text, options).map((line) => `  ${line}`),
  ]
}

function optionLines(text: SessionText, options: readonly RequestOption[]): readonly string[] {
  return options.map(({ label, description }) => {
    const more = description === undefined || description === '' ? '' : `: ${text.inline(description, 300)}`
    return `- ${text.inline(label, 300)}${more}`
  })
}

function answerOf(text: SessionText, { status, answer, denied, options = [] }: Request): string {
  if (denied) return `**denied**${typeof answer === 'string' ? ` (${labelOf(text, options, answer)})` : ''}`
  if (typeof answer === 'string') return `**${labelOf(text, options, answer)}**`
  if (answer !== undefined) return 'answered'
  return status === 'pending' ? '**waits for an answer**' : 'no answer is known'
}

function labelOf(text: SessionText, options: readonly RequestOption[], id: string): string {
  return text.inline(options.find((option) => option.id === id)?.label ?? id, 300)
}
