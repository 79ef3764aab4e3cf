import { SessionText } from '../../sinks/markdown/text/session-text.ts'
import { type Paint, painter } from '../terminal/style.ts'

/** How a session is shown. */
export interface ViewOptions {
  /** The columns of the output. */
  readonly columns: number
  readonly isStyled: boolean
  /** Shows all of every text. */
  readonly isFull: boolean
  /** Applied to every text of the session before anything else. */
  readonly redact: (text: string) => string
  /** Shows control characters as signs, so that a command looks like the one that runs. */
  readonly showsControls?: boolean
}

/** The tools of all parts of a view. Every text of a session goes through `text`, which redacts it and removes control characters. */
export interface View {
  readonly text: SessionText
  readonly paint: Paint
  readonly isFull: boolean
  readonly redact: (text: string) => string
  /** The working folder of the session. */
  readonly cwd: string | undefined
}

export function createView(
  { isStyled, isFull, redact, showsControls }: ViewOptions,
  cwd: string | undefined,
): View {
  const clean = (text: string) =>
    redact(text)
      .replace(/[\u2028\u2029]/g, '\n')
      .replaceAll('\t', '    ')
  const text = new SessionText({ redact: clean, toolOutputLines: Number.POSITIVE_INFINITY, showsControls })
  return { text, paint: painter(isStyled), isFull, redact, cwd }
}
