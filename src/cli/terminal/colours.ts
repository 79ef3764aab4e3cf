import type { Terminal } from './terminal.ts'

/**
 * Whether the output has colours, if no option says so. `FORCE_COLOR` decides first, then `NO_COLOR` (no-color.org), and then whether the
 * output is a terminal that knows colours.
 */
export function hasColours(
  { FORCE_COLOR, NO_COLOR, TERM }: Readonly<Record<string, string | undefined>>,
  isTerminal: boolean,
): boolean {
  if (FORCE_COLOR !== undefined && FORCE_COLOR !== '') return FORCE_COLOR !== '0' && FORCE_COLOR !== 'false'
  if (NO_COLOR) return false
  return isTerminal && TERM !== 'dumb'
}

/** The options of a command that may print colours. */
export interface StyleOptions {
  readonly color?: 'always' | 'never' | 'auto' | boolean
}

/** Whether a command prints colours. */
export function isStyled({ color }: StyleOptions, terminal: Terminal): boolean {
  if (color === 'always') return true
  return color === 'never' || color === false ? false : terminal.isStyled
}
