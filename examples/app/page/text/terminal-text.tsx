import anser, { type AnserJsonEntry } from 'anser'
import { type ReactNode, useMemo } from 'react'

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
      <span key={at} className={classesOf(part)}>
        {part.content}
      </span>
    ))
  }, [text])
}

/** Removes titles, links and movements of the cursor. Of a line that was written again, it keeps the last text. */
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

function classesOf({ fg, bg, decorations }: AnserJsonEntry): string {
  const color = colorOf(fg)
  const background = colorOf(bg)
  return [
    color && `ansi-${color}`,
    background && `ansi-on ansi-on-${background}`,
    ...decorations.map((name) => `ansi-${name}`),
  ]
    .filter(Boolean)
    .join(' ')
}

const COLORS = ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white'] as const

/** Returns one of the eight colours. A terminal's palette has six steps of red, green and blue; the strongest parts give the colour. */
function colorOf(name: string | null): string | undefined {
  const [, palette] = /^ansi-palette-(\d+)$/.exec(name ?? '') ?? []
  if (palette === undefined) return COLORS.find((color) => name?.endsWith(color))
  const step = Number(palette) - 16
  if (step < 0 || step >= 216) return undefined
  const parts = [Math.floor(step / 36), Math.floor(step / 6) % 6, step % 6]
  const most = Math.max(...parts)
  const bits = parts.reduce((sum, part, at) => sum + (part > most / 2 ? 2 ** at : 0), 0)
  return most === Math.min(...parts) ? undefined : COLORS[bits]
}
