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
  /** Returns the entries that only a filter shows. It is called once. */
  readonly further?: (() => Promise<readonly Choice[]>) | undefined
}

/** Lets the person choose a session by arrow keys, and filter by words. Returns undefined after Ctrl-C. */
export async function pick(
  choices: readonly Choice[],
  { message, noMatch, rows, further }: PickerTexts & PickerOptions,
  streams: Streams = {},
): Promise<string | undefined> {
  let others: Promise<readonly Choice[]> | undefined
  const prompt = {
    message,
    pageSize: Math.max(5, rows - 6),
    source: async (term: string | undefined) => {
      if (!term?.trim() || !further) return matchingChoices(choices, term)
      others ??= further()
      return matchingChoices([...choices, ...(await others)], term)
    },
    theme: { style: { answer: () => '', error: () => noMatch } },
  }
  try {
    return await search(prompt, streams)
  } catch (error) {
    if (error instanceof Error && error.name === 'ExitPromptError') return undefined
    throw error
  }
}

/** Returns the choices that contain each word of the term. */
export function matchingChoices(choices: readonly Choice[], term: string = ''): readonly Choice[] {
  const words = term.toLowerCase().split(/\s+/)
  return choices.filter(({ name, description }) => {
    const text = `${name} ${description}`.toLowerCase()
    return words.every((word) => text.includes(word))
  })
}
