import { assertNever } from '../../core/json/values.ts'
import { errorText } from '../../core/selectors/error-text.ts'
import { STATUS_WORDS } from '../../core/selectors/status-words.ts'
import type { PlainBlock } from '../../core/selectors/walk.ts'
import type { BlockOf, UserMessageOrigin } from '../../core/state/block.ts'
import type { RequestOption } from '../../core/state/request.ts'
import { changePieces } from './changes.ts'
import { agentPromptPieces, injectedPiece, promptPieces } from './message.ts'
import type { SessionText } from './text/session-text.ts'
import type { Writer } from './tool-call.ts'

/** Returns the pieces of a block that is no call, no result and no agent. */
export function blockPieces(writer: Writer, block: PlainBlock, isMain: boolean): readonly string[] {
  const { text, details } = writer
  switch (block.type) {
    case 'user_message':
      return messagePieces(writer, block, isMain)
    case 'assistant_text':
      return [text.prose(block.content)]
    case 'thinking':
      return block.content.trim() === ''
        ? []
        : [details.around([{ bold: 'Thinking' }], [text.prose(block.content)])]
    case 'request':
      return requestPieces(text, block)
    case 'error':
      return errorPieces(writer, block)
    case 'skill_load':
      return [details.around([{ bold: 'Skill' }, text.short(block.skillName)], [text.prose(block.content)])]
    case 'system':
      return [systemPiece(writer, block)]
    default:
      return assertNever(block)
  }
}

function messagePieces(writer: Writer, block: BlockOf<'user_message'>, isMain: boolean): readonly string[] {
  const { text, details } = writer
  const { origin, content, changes = [] } = block
  const files = changes.flatMap((change) => changePieces(text, change))
  const sum = files.length === 0 ? [] : [details.around([{ bold: 'Files that the turn changed' }], files)]
  if (origin !== undefined) return [injectedPiece(writer, withOrigin(block, origin)), ...sum]
  return [...(isMain ? promptPieces(text, block, '##') : agentPromptPieces(text, content)), ...sum]
}

function withOrigin(
  block: BlockOf<'user_message'>,
  origin: UserMessageOrigin,
): BlockOf<'user_message'> & { readonly origin: UserMessageOrigin } {
  return { ...block, origin }
}

function errorPieces({ text }: Writer, { message, code }: BlockOf<'error'>): readonly string[] {
  const name = code === undefined || code === '' ? 'Error' : `Error ${text.inline(code)}`
  const words = errorText(message)
  const line = text.short(words, 300)
  const isLine = line === text.redacted(words).trim()
  return isLine ? [`> **${name}:** ${text.inline(line, 300)}`] : [`> **${name}:**`, text.block(words)]
}

/** Returns a report of the program: one line, or collapsed if it has more. */
function systemPiece({ text, details }: Writer, { subtype, message }: BlockOf<'system'>): string {
  const name = text.short(subtype).replaceAll('_', ' ')
  const line = text.short(message, 200)
  if (line === text.redacted(message).trim())
    return `*${text.inline(name)}*${line === '' ? '' : `: ${text.inline(line, 200)}`}`
  return details.around([{ bold: name }, text.first(message)], [text.block(message)])
}

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
  return status === 'pending' ? `**${STATUS_WORDS.waiting}**` : 'no answer is known'
}

function labelOf(text: SessionText, options: readonly RequestOption[], id: string): string {
  return text.inline(options.find((option) => option.id === id)?.label ?? id, 300)
}
