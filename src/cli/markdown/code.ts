import type { Paint, StyleName } from '../terminal/style.ts'
import { highlight } from './highlight.ts'

/** The style of each kind of part. */
const STYLES: Readonly<Record<string, StyleName>> = {
  comment: 'dim',
  string: 'green',
  addition: 'green',
  deletion: 'red',
  number: 'yellow',
  meta: 'yellow',
  keyword: 'magenta',
  attr: 'cyan',
  title: 'cyan',
}

/** Paints the parts of a code. A code in an unknown language has one colour. */
export function paintCode(text: string, language: string | undefined, paint: Paint): string {
  const parts = highlight(text, /^[\w+#-]+/.exec(language ?? '')?.[0])
  if (!parts) return paint(text, 'yellow')
  return parts
    .map((part) => {
      const style = STYLES[part.kind ?? '']
      return style === undefined ? part.text : paint(part.text, style)
    })
    .join('')
}
