import search from '@inquirer/search'
import type { Choice } from './terminal.ts'

/** Lets the person choose a session by arrow keys, and filter by words. Returns undefined after Ctrl-C. */
export async function pick(choices: readonly Choice[], rows: number): Promise<string | undefined> {
  try {
    return await search({
      message: 'Sessions (type to filter)',
      pageSize: Math.max(5, rows - 6),
      source: (term) => matchingChoices(choices, term),
      theme: { style: { answer: () => '' } },
    })
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
