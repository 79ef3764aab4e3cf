import type { ShownStatus } from '../../core/selectors/status.ts'
import type { Terminal } from './terminal.ts'

/** The codes that start and end each style (SGR of ECMA-48). */
const CODES = {
  bold: [1, 22],
  dim: [2, 22],
  italic: [3, 23],
  underline: [4, 24],
  inverse: [7, 27],
  strikethrough: [9, 29],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  blue: [34, 39],
  magenta: [35, 39],
  cyan: [36, 39],
} as const

export type StyleName = keyof typeof CODES

/** Returns a text in some styles. */
export type Paint = (text: string, ...styles: readonly StyleName[]) => string

/** Returns a painter for a terminal with or without colours. */
export function painter(isStyled: boolean): Paint {
  return isStyled ? (text, ...styles) => styles.reduce(withStyle, text) : (text) => text
}

function withStyle(text: string, name: StyleName): string {
  const [start, end] = CODES[name]
  const [open, close] = [`\u001b[${start}m`, `\u001b[${end}m`]
  // Line by line, because a line may get a margin. A style within the text ends with the same code, and this style
  // goes on after it.
  const lines = text.split('\n')
  return lines
    .map((line) => (line === '' ? line : open + line.replaceAll(close, close + open) + close))
    .join('\n')
}

/** The colour of each status. */
export const STATUS_COLOURS: Readonly<Record<ShownStatus, StyleName>> = {
  idle: 'dim',
  pending: 'yellow',
  running: 'cyan',
  waiting: 'magenta',
  background: 'cyan',
  complete: 'green',
  success: 'green',
  finished: 'green',
  interrupted: 'yellow',
  error: 'red',
  failed: 'red',
  denied: 'yellow',
}

/**
 * Whether the output has colours, if no option says so. `FORCE_COLOR` decides first, then `NO_COLOR` (no-color.org),
 * and then whether the output is a terminal that knows colours.
 */
export function hasColours(
  { FORCE_COLOR, NO_COLOR, TERM }: Readonly<Record<string, string | undefined>>,
  isTerminal: boolean,
): boolean {
  if (FORCE_COLOR !== undefined && FORCE_COLOR !== '') return FORCE_COLOR !== '0' && FORCE_COLOR !== 'false'
  if (NO_COLOR) return false
  return isTerminal && TERM !== 'dumb'
}

/** The options of a command that change its terminal. */
export interface TerminalOptions {
  readonly color?: 'always' | 'never' | 'auto' | boolean
  /** The home folder with the sessions. */
  readonly home?: string
}

/** Returns the terminal with the colours and the sessions that options choose. They are known when the command starts. */
export function withOptions(terminal: Terminal, options: () => TerminalOptions): Terminal {
  return {
    ...terminal,
    ownHome: terminal.home,
    get home() {
      return options().home ?? terminal.home
    },
    get isStyled() {
      const { color } = options()
      if (color === 'always') return true
      return color === 'never' || color === false ? false : terminal.isStyled
    },
  }
}
