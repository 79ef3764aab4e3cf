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

/** The value of the options about colours. */
export type ColourOption = 'always' | 'never' | 'auto' | boolean | undefined

/** Returns the terminal with the colours that an option chooses. The option is known when the command starts. */
export function withColours(terminal: Terminal, option: () => ColourOption): Terminal {
  return {
    ...terminal,
    get isStyled() {
      const color = option()
      if (color === 'always') return true
      return color === 'never' || color === false ? false : terminal.isStyled
    },
  }
}
