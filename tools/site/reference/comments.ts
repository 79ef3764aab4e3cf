import ts from 'typescript'
import { WIDTH } from './signature.ts'

/** Returns the text of a declaration's TSDoc comment, which is Markdown. */
export function descriptionOf(node: ts.Node): string {
  return ts.getTextOfJSDocComment(commentOf(node)?.comment) ?? ''
}

/** Returns the TSDoc comment before a declaration. */
export function commentOf(node: ts.Node): ts.JSDoc | undefined {
  return ts.getJSDocCommentsAndTags(node).findLast(ts.isJSDoc)
}

/** Wraps the comments in a piece of code. In the source they are longer than a line that GitHub shows. */
export function wrapComments(code: string): string {
  return code.replace(/^( *)\/\*\*(.*?)\*\//gms, (_, indent: string, comment: string) => {
    const text = comment.replace(/^ *\* ?/gm, '').trim()
    const line = `${indent}/** ${text} */`
    if (line.length <= WIDTH && !text.includes('\n')) return line
    const lines = wrap(text, WIDTH - `${indent} * `.length)
    return [`${indent}/**`, ...lines.map((each) => `${indent} * ${each}`.trimEnd()), `${indent} */`].join(
      '\n',
    )
  })
}

/** Returns the lines of a text. Paragraphs and the entries of a list keep lines of their own. */
function wrap(text: string, width: number): readonly string[] {
  const parts = text.replaceAll('\n\n', '\n\n\n').split(/\n\n|\n(?=- )/)
  return parts.flatMap((part) => wrapPart(part.trim(), width))
}

function wrapPart(part: string, width: number): readonly string[] {
  const lines: string[] = []
  for (const word of part.split(/\s+/)) {
    const line = lines.at(-1)
    if (line !== undefined && line.length + 1 + word.length <= width)
      lines[lines.length - 1] = `${line} ${word}`
    else lines.push(word)
  }
  return lines
}
