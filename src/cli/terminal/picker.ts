import search from '@inquirer/search'
import type { Choice, PickerTexts } from './terminal.ts'

/** The streams of a terminal. The default is those of the process. */
interface Streams {
  readonly input?: NodeJS.ReadableStream
  readonly output?: NodeJS.WritableStream
  readonly signal?: AbortSignal
}

/** Lets the person choose a session by arrow keys, and filter by words. Returns undefined after Ctrl-C. */
export async function pick(
  choices: readonly Choice[],
  { message, noMatch, rows }: PickerTexts & { readonly rows: number },
  streams: Streams = {},
): Promise<string | undefined> {
  const prompt = {
    message,
    pageSize: Math.max(5, rows - 6),
    source: (term: string | undefined) => matchingChoices(choices, term),
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
