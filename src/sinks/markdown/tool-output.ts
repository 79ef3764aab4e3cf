import { asArray, asString, isObject, type JsonObject } from '../../json/values.ts'
import { escapeMarkdown } from './text/escape.ts'
import type { SessionText } from './text/session-text.ts'
import { formatBytes } from './text/values.ts'

/** Returns the output of a tool: its texts as blocks of code, the names of images and files, and other values as JSON. */
export function outputPieces(text: SessionText, output: unknown): readonly string[] {
  return outputParts(text, output).map((part) => {
    if ('words' in part) return text.output(part.words)
    return `*${escapeMarkdown(part.file)}*`
  })
}

/** A part of an output: text, or a note about a file that is no text. */
type OutputPart = { readonly words: string } | { readonly file: string }

/** Returns the parts of an output. Their texts are redacted and not shortened. Values that are no text are JSON. */
export function outputParts(text: SessionText, output: unknown): readonly OutputPart[] {
  if (output === undefined || output === null || output === '') return []
  return (Array.isArray(output) ? output : [output]).map((part) => partOf(text, part))
}

function partOf(text: SessionText, part: unknown): OutputPart {
  if (typeof part === 'string') return { words: text.redacted(part) }
  if (!isObject(part)) return { words: text.json(part) }
  const onlyText = part.type === 'text' ? asString(part.text) : undefined
  if (onlyText !== undefined) return { words: text.redacted(onlyText) }
  return binaryPart(text, part) ?? { words: text.json(part) }
}

/** An image is base64 in `data`, either directly or in a `source`. */
function binaryPart(text: SessionText, part: JsonObject): OutputPart | undefined {
  if (part.type !== 'image' && part.type !== 'audio') return undefined
  const source = isObject(part.source) ? part.source : part
  const data = asString(source.data)
  if (data === undefined) return undefined
  const mediaType =
    asString(source.media_type) ?? asString(source.mimeType) ?? asString(source.mediaType) ?? ''
  return { file: `${part.type === 'image' ? 'Image' : 'Audio'}: ${text.short(mediaType)} ${sizeOf(data)}` }
}

/** Returns the size of bytes in base64. */
export function sizeOf(base64: string): string {
  return formatBytes(Math.floor((base64.length * 3) / 4))
}

/** Returns the first line of a failed output, in a few words. */
export function errorLine(text: SessionText, output: unknown): string {
  if (typeof output === 'string') return text.first(output)
  const first = asArray(output).find((part) => isObject(part) && typeof part.text === 'string')
  return isObject(first) ? text.first(asString(first.text) ?? '') : ''
}
