import { assertNever } from '../../core/json/values.ts'
import { errorText } from '../../core/selectors/failure.ts'
import type { PlainBlock } from '../../core/selectors/walk.ts'
import type { BlockOf } from '../../core/state/block.ts'
import { fileNotes, ORIGINS, textOf, withoutTags } from '../../sinks/markdown/message.ts'
import { formatTime, timeOf } from '../../sinks/markdown/text/values.ts'
import { cut, hang, pad, widthOf, wrapWords } from '../terminal/wrap.ts'
import { changeLines } from './diff.ts'
import { requestLines } from './request.ts'
import { proseLines, typedLines } from './text-lines.ts'
import type { View } from './view.ts'

/** The lines of each text that a view shows, unless it shows all. */
const LIMITS = { prompt: 40, agentPrompt: 6, thinking: 3, system: 3 }

/** Returns the lines of a block that is no call, no result and no agent. Some have none. */
export function blockLines(view: View, block: PlainBlock, { isMain, width }: BlockPlace): readonly string[] {
  switch (block.type) {
    case 'user_message':
      return messageLines(view, block, { isMain, width })
    case 'assistant_text':
      return block.content.trim() === '' ? [] : proseLines(view, block.content, width)
    case 'thinking':
      return thinkingLines(view, block, width)
    case 'request':
      return requestLines(view, block, width)
    case 'error':
      return errorLines(view, block, width)
    case 'system':
      return systemLines(view, block, width)
    case 'skill_load':
      return noteLines(
        view,
        { name: 'Skill', title: view.text.short(block.skillName), words: block.content },
        width,
      )
    default:
      return assertNever(block)
  }
}

/** The place that shows a block. */
interface BlockPlace {
  /** Whether the block is in the main conversation, so that a person wrote its prompts. */
  readonly isMain: boolean
  readonly width: number
}

function messageLines(view: View, block: BlockOf<'user_message'>, place: BlockPlace): readonly string[] {
  const { origin, content, changes = [] } = block
  const { text, paint } = view
  const { width, isMain } = place
  const words = textOf(content)
  const notes = fileNotes(text, content).flatMap((note) => wrapWords(paint(`[${note}]`, 'dim'), width - 2))
  // The calls have the diffs too.
  const files = changes.flatMap((change) =>
    changeLines(view, change, { width: width - 2, isNamed: false, hasDiff: view.isFull }),
  )
  const more = [...notes, ...files].map((line) => `  ${line}`)
  if (origin !== undefined) return [...noteLines(view, { name: ORIGINS[origin], words }, width), ...more]
  const time = timeOf(block.timestamp)
  return [
    ...(isMain ? promptLines(view, words, { width, time }) : agentPromptLines(view, words, width)),
    ...more,
  ]
}

/** In a narrower terminal, prompts have no times. */
const WIDTH_WITH_TIMES = 40

/** The time of a prompt stands at the end of its first line. */
function promptLines(
  view: View,
  words: string,
  { width, time }: { readonly width: number; readonly time: number | undefined },
): readonly string[] {
  const { paint } = view
  // Of `2026-01-31 10:00 UTC`: the head of the session has the year.
  const clock = time === undefined || width < WIDTH_WITH_TIMES ? '' : `  ${formatTime(time).slice(5, 16)}`
  const columns = width - 2 - clock.length
  const { shown, rest } = firstLines(view, typedLines(view, words, columns), LIMITS.prompt)
  const [first = '', ...others] = shown.map((line) => paint(line, 'bold'))
  const timed = clock === '' ? first : pad(first, columns) + paint(clock, 'dim')
  return hang(paint('❯ ', 'cyan', 'bold'), [timed, ...others, ...rest])
}

/** Returns the prompt that an agent got from the agent above it. */
export function agentPromptLines(view: View, words: string, width: number): readonly string[] {
  const { paint } = view
  const { shown, rest } = firstLines(view, typedLines(view, words, width - 2), LIMITS.agentPrompt)
  return hang(paint('❯ ', 'dim'), [...shown.map((line) => paint(line, 'dim')), ...rest])
}

/** Returns the first lines, and one line about the others. */
function firstLines(
  { isFull, paint }: View,
  lines: readonly string[],
  limit: number,
): { readonly shown: readonly string[]; readonly rest: readonly string[] } {
  // A line that says that one line is missing is no gain.
  if (isFull || lines.length <= limit + 1) return { shown: lines, rest: [] }
  const shown = lines.slice(0, limit)
  while (shown.at(-1) === '') shown.pop()
  return { shown, rest: [paint(`… ${lines.length - shown.length} more lines`, 'dim')] }
}

function thinkingLines(
  view: View,
  { content, redacted }: BlockOf<'thinking'>,
  width: number,
): readonly string[] {
  const { paint } = view
  if (content.trim() === '') return redacted ? [paint('✻ Thinking that the provider hides', 'dim')] : []
  const { shown, rest } = firstLines(view, typedLines(view, content, width - 2), LIMITS.thinking)
  return hang(paint('✻ ', 'dim'), [...shown.map((line) => paint(line, 'dim', 'italic')), ...rest])
}

/** Returns a text that the program wrote: its name, and the first line of the text. */
function noteLines(
  view: View,
  { name, title = '', words }: { readonly name: string; readonly title?: string; readonly words: string },
  width: number,
): readonly string[] {
  const { text, paint, isFull } = view
  const head = [paint(name, 'bold'), title].filter((part) => part !== '').join(' ')
  const mark = paint('▸ ', 'dim')
  if (isFull) {
    const lines = typedLines(view, words, width - 2)
    return hang(mark, [head, ...lines.map((line) => paint(line, 'dim'))])
  }
  const excerpt = text.short(withoutTags(text.redacted(words)), width)
  // Programs also write such messages without any words.
  if (excerpt === '' && title === '') return []
  const line = [head, paint(cut(excerpt, width - 4 - widthOf(head)), 'dim')]
  return hang(mark, [line.filter((part) => part !== '').join('  ')])
}

function errorLines(view: View, { message, code = '' }: BlockOf<'error'>, width: number): readonly string[] {
  const { text, paint } = view
  const name = code === '' ? 'Error' : `Error ${text.short(code)}`
  const lines = wrapWords(`${name}: ${text.redacted(errorText(message)).trim()}`, width - 2)
  const { shown, rest } = firstLines(view, lines, 12)
  return hang(paint('✗ ', 'red', 'bold'), [...shown.map((line) => paint(line, 'red')), ...rest])
}

function systemLines(view: View, { subtype, message }: BlockOf<'system'>, width: number): readonly string[] {
  const { text, paint } = view
  const name = text.short(subtype).replaceAll('_', ' ')
  const words = text.redacted(message).trim()
  const lines = wrapWords(words === '' ? name : `${name}: ${words}`, width - 2)
  const { shown, rest } = firstLines(view, lines, LIMITS.system)
  return hang('· ', [...shown, ...rest]).map((line) => paint(line, 'dim'))
}
