import process from 'node:process'
import search from '@inquirer/search'
import type { Choice, PickerTexts } from './terminal.ts'

/** The streams of a terminal. The default is those of the process. */
interface Streams {
  readonly input?: NodeJS.ReadableStream
  readonly output?: NodeJS.WritableStream
  readonly signal?: AbortSignal
}

interface PickerOptions {
  readonly rows: number
  /** The default is 80. */
  readonly columns?: number | undefined
  /** Returns the entries that only a filter shows. It is called once. */
  readonly further?: (() => Promise<readonly Choice[]>) | undefined
}

/** Lets the person choose a session by arrow keys, and filter by words. Returns undefined after Ctrl-C or Esc. */
export async function pick(
  choices: readonly Choice[],
  { message, noMatch, rows, columns = 80, further }: PickerTexts & PickerOptions,
  streams: Streams = {},
): Promise<string | undefined> {
  let others: Promise<readonly Choice[]> | undefined
  const prompt = {
    message,
    pageSize: pageSize(choices, { message, rows, columns }),
    source: async (term: string | undefined) => {
      if (!term?.trim() || !further) return matchingChoices(choices, term)
      others ??= further()
      return matchingChoices([...choices, ...(await others)], term)
    },
    theme: { style: { answer: () => '', error: () => noMatch } },
  }
  const left = new AbortController()
  const onKey = (_: unknown, key: { readonly name?: string } | undefined) => {
    if (key?.name === 'escape') left.abort()
  }
  const input = streams.input ?? process.stdin
  input.on('keypress', onKey)
  const { signal = left.signal } = streams
  try {
    return await search(prompt, { ...streams, signal: AbortSignal.any([signal, left.signal]) })
  } catch (error) {
    const isLeft = error instanceof Error && (error.name === 'ExitPromptError' || left.signal.aborted)
    if (isLeft) return undefined
    throw error
  } finally {
    input.off('keypress', onKey)
  }
}

/** The prompt's mark, the typed words and the cursor. In columns. */
const BESIDE_MESSAGE = 4

/** The empty line, the line of the keys, and the line where the cursor rests. */
const OTHER_LINES = 3

/** Returns the number of choices that leaves the message and the longest description in view. */
function pageSize(
  choices: readonly Choice[],
  { message, rows, columns }: { readonly message: string; readonly rows: number; readonly columns: number },
): number {
  const messageLines = Math.ceil((message.length + BESIDE_MESSAGE) / columns)
  const lines = choices.map(({ description }) => description.split('\n').length)
  const descriptionLines = lines.reduce((most, count) => Math.max(most, count), 1)
  return Math.max(3, rows - messageLines - descriptionLines - OTHER_LINES)
}

/** Returns the choices that contain each word of the term. */
export function matchingChoices(choices: readonly Choice[], term: string = ''): readonly Choice[] {
  const words = term.toLowerCase().split(/\s+/)
  return choices.filter(({ name, description }) => {
    const text = `${name} ${description}`.toLowerCase()
    return words.every((word) => text.includes(word))
  })
}
