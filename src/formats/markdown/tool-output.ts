import { asArray, asString, isObject, type JsonObject } from '../../json/values.ts'
import type { SessionText } from './text/session-text.ts'
import { formatBytes } from './text/values.ts'

/** Returns the output of a tool: its texts as blocks of code, the names of images and files, and other values as JSON. */
export function outputPieces(text: SessionText, output: unknown): readonly string[] {
  if (output === undefined || output === null || output === '') return []
  if (typeof output === 'string') return [text.output(output)]
  if (!Array.isArray(output)) return [partPiece(text, output)]
  return output.map((part) => partPiece(text, part))
}

function partPiece(text: SessionText, part: unknown): string {
  if (typeof part === 'string') return text.output(part)
  if (!isObject(part)) return text.output(text.json(part))
  const onlyText = part.type === 'text' ? asString(part.text) : undefined
  if (onlyText !== undefined) return text.output(onlyText)
  return binaryPiece(text, part) ?? text.output(text.json(part))
}

/** An image is base64 in `data`, either directly or in a `source`. */
function binaryPiece(text: SessionText, part: JsonObject): string | undefined {
  if (part.type !== 'image' && part.type !== 'audio') return undefined
  const source = isObject(part.source) ? part.source : part
  const data = asString(source.data)
  if (data === undefined) return undefined
  const mediaType =
    asString(source.media_type) ?? asString(source.mimeType) ?? asString(source.mediaType) ?? ''
  return `*${part.type === 'image' ? 'Image' : 'Audio'}: ${text.inline(mediaType)} ${sizeOf(data)}*`
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
