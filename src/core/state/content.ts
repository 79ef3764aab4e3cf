import type { VariantsOf } from '../json/shape.ts'
import { asArray, asObject, asString, isObject, isString, type JsonObject } from '../json/values.ts'

/** An image or another file in a user's message: its bytes, or where they are. */
export type FileSource =
  | { readonly type: 'base64'; readonly mediaType: string; readonly data: string }
  | { readonly type: 'url'; readonly url: string; readonly mediaType?: string }

const FILE_SOURCE: VariantsOf<FileSource> = {
  fields: {},
  byType: {
    base64: { mediaType: 'name', data: 'string' },
    url: { url: 'string', 'mediaType?': 'name' },
  },
}

/** One part of a user's message that is more than a single text. */
export type UserContentPart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image'; readonly source: FileSource }
  | { readonly type: 'file'; readonly source: FileSource; readonly name?: string }

/** The shape of a part. */
export const CONTENT_PART: VariantsOf<UserContentPart> = {
  fields: {},
  byType: {
    text: { text: 'string' },
    image: { source: FILE_SOURCE },
    file: { source: FILE_SOURCE, 'name?': 'string' },
  },
}

/**
 * Returns a tool's output. Its images and embedded pages have the form of parts of a prompt: each program has a form of
 * its own for them.
 */
export function plainOutput(output: unknown): unknown {
  if (!Array.isArray(output)) return output
  const plain = output.map(plainPart)
  return plain.some(Boolean) ? output.map((part, at) => plain[at] ?? part) : output
}

function plainPart(value: unknown): UserContentPart | undefined {
  const part = isObject(value) && isObject(value.content) ? value.content : asObject(value)
  const { text, blob, mimeType } = asObject(part.resource)
  if (part.type === 'resource' && isString(text)) return { type: 'text', text }
  return imageIn(blob === undefined ? part : { data: blob, mimeType })
}

/** The bytes of an image are in `data`, in a `source`, or in a `data:` address. */
function imageIn(part: JsonObject): UserContentPart | undefined {
  const source = isObject(part.source) ? part.source : part
  const url = asString(part.image_url) ?? asString(asObject(part.image_url).url) ?? asString(source.url)
  const isPlace = /image/.test(asString(part.type) ?? '') && (source !== part || part.image_url !== undefined)
  if (url !== undefined && (isPlace || url.startsWith('data:image/'))) return imageAt(url)
  const [data, mediaType] = [asString(source.data), mediaTypeOf(source)]
  return data !== undefined && mediaType?.startsWith('image/')
    ? { type: 'image', source: { type: 'base64', mediaType, data } }
    : undefined
}

/** Returns an image: the bytes of a data URL, or where it is. */
export function imageAt(url: string): UserContentPart {
  const [, mediaType, data] = /^data:([^;,]+);base64,(.*)$/s.exec(url) ?? []
  if (mediaType === undefined || data === undefined) return { type: 'image', source: { type: 'url', url } }
  return { type: 'image', source: { type: 'base64', mediaType, data } }
}

function mediaTypeOf({ media_type, mimeType, mediaType }: JsonObject): string | undefined {
  return asString(media_type) ?? asString(mimeType) ?? asString(mediaType)
}

/** Returns the content of a user message with these parts, or undefined if there are none. A single text becomes a string. */
export function userContent(
  parts: readonly UserContentPart[],
): string | readonly UserContentPart[] | undefined {
  const first = parts[0]
  if (!first) return undefined
  return parts.length === 1 && first.type === 'text' ? first.text : parts
}

/** Returns the texts of a message's content: a text, or a list of parts. */
export function textOfContent(content: unknown): string {
  return (
    asString(content) ??
    asArray(content)
      .map((part) => asString(asObject(part).text) ?? '')
      .join('')
  )
}
