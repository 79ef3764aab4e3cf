import anser, { type AnserJsonEntry } from 'anser'
import { type CSSProperties, type ReactNode, useMemo } from 'react'

declare module 'react' {
  interface CSSProperties {
    '--fg'?: string
    '--bg'?: string
  }
}

/** The output of a terminal with its colours. The colours are those of the page's theme, so that each can be read. */
export function TerminalText({ text }: { readonly text: string }): ReactNode {
  return useMemo(() => {
    if (!text.includes('\u001b') && !text.includes('\r')) return text
    const parts = anser.ansiToJson(withoutMovements(text), {
      json: true,
      remove_empty: true,
      use_classes: true,
    })
    return parts.map((part, at) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: parts have no id, and keep their places
      <span key={at} className={classesOf(part)} style={styleOf(part)}>
        {part.content}
      </span>
    ))
  }, [text])
}

/** Returns a text for one line of a summary: without colours, titles and links of a terminal, also where one is cut off. */
export function withoutColors(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: terminals are controlled by them
  return text.replace(/\u001b(?:\[[0-9;?]*[A-Za-z]?|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?)/g, '')
}

/** Returns a text that is marked up for a program without its tags. They say nothing to people. */
export function withoutTags(text: string): string {
  return /^\s*</.test(text) ? text.replace(/<\/?[a-z][\w-]*>/g, ' ').trim() : text
}

/** Removes titles, links and movements of the cursor. It keeps the last text of a line that was written again. */
function withoutMovements(text: string): string {
  return text
    .replace(LINKS_AND_TITLES, '')
    .replace(MOVEMENTS, '')
    .replace(/\r+\n/g, '\n')
    .split('\n')
    .map((line) => line.slice(line.lastIndexOf('\r', line.length - 2) + 1))
    .join('\n')
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: terminals are controlled by them
const LINKS_AND_TITLES = /\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)/g
// biome-ignore lint/suspicious/noControlCharactersInRegex: terminals are controlled by them
const MOVEMENTS = /\u001b\[[0-9;?]*[A-Za-ln-z]/g

const COLORS = ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white'] as const

/** The eight colours of a terminal are those of the page. */
function classesOf({ fg, bg, decorations }: AnserJsonEntry): string {
  const [color, background] = [fg, bg].map((name) => COLORS.find((each) => name?.endsWith(each)))
  return [
    color && `ansi-${color}`,
    background && `ansi-on ansi-on-${background}`,
    fg && !color && 'ansi-fg',
    bg && !background && 'ansi-bg',
    ...decorations.map((name) => `ansi-${name}`),
  ]
    .filter(Boolean)
    .join(' ')
}

/** The other colours keep their hue. The page chooses how light they are, so that the text can be read. */
function styleOf({ fg, bg, fg_truecolor, bg_truecolor }: AnserJsonEntry): CSSProperties | undefined {
  const [color, background] = [rgbOf(fg, fg_truecolor), rgbOf(bg, bg_truecolor)]
  return color || background
    ? { ...(color && { '--fg': color }), ...(background && { '--bg': background }) }
    : undefined
}

function rgbOf(name: string | null, trueColor: string | null): string | undefined {
  if (trueColor) return `rgb(${trueColor})`
  const [, palette] = /^ansi-palette-(\d+)$/.exec(name ?? '') ?? []
  return palette === undefined ? undefined : `rgb(${paletteColor(Number(palette)).join()})`
}

/** Returns the red, green and blue of a colour of a terminal's palette from 16: six steps of each, and 24 greys. */
function paletteColor(index: number): readonly number[] {
  if (index >= 232) return [0, 0, 0].map(() => 8 + (index - 232) * 10)
  const step = (size: number): number => Math.floor((index - 16) / size) % 6
  return [36, 6, 1].map((size) => (step(size) === 0 ? 0 : 55 + step(size) * 40))
}
