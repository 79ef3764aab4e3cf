import { isPrompt } from '../state/block.ts'
import type { SessionConversationState } from '../state/session.ts'
import { textOf } from './text.ts'

/** The facts that name a session. */
interface TitleFacts {
  /** The title that the program or the person gave it. */
  readonly title?: string | undefined
  readonly firstPrompt?: string | undefined
}

/** In UTF-16 units. A prompt may hold a whole file, and a name is one line. */
const MOST_TEXT = 2_000

/** Returns the name of a session: its title, or else the first line with words of the first prompt. Undefined if it has neither. */
export function titleFrom({ title = '', firstPrompt = '' }: TitleFacts): string | undefined {
  const prompt = firstPrompt.slice(0, MOST_TEXT).replace(/<[^<>\n]{0,80}>/g, ' ')
  const name = title.trim() || firstLine(prompt)
  return name.replace(/\s+/g, ' ').trim() || undefined
}

/** Returns the name of a session that was read. The page, Markdown and listings have the same one. */
export function sessionTitle({
  session,
  blocks,
}: Pick<SessionConversationState, 'session' | 'blocks'>): string | undefined {
  const prompt = blocks.find(isPrompt)
  return titleFrom({ title: session.title, firstPrompt: prompt && textOf(prompt) })
}

/** Returns the first line with words, without the marks of a heading or a list. */
export function firstLine(text: string): string {
  return /^[ \t#>*-]*([^\s#>*-].*)$/m.exec(text)?.[1] ?? ''
}
