import { asObject, asString, isObject, isString, type JsonObject } from '../json/values.ts'
import type { UserContentPart } from './content.ts'

/** Returns a tool's output. Its images and embedded pages have the form of parts of a prompt: each program has a form of its own for them. */
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
  const source = isObject(part.source) ? part.source : isObject(part.inlineData) ? part.inlineData : part
  const url = addressOf(part) ?? asString(source.url)
  const [, typed, bytes] = /^data:([^;,]+);base64,(.*)$/s.exec(url ?? '') ?? []
  const data = bytes ?? asString(source.data)
  const mediaType = typed ?? mediaTypeOf(source)
  if (data !== undefined && mediaType?.startsWith('image/'))
    return { type: 'image', source: { type: 'base64', mediaType, data } }
  const isImage = /image/.test(asString(part.type) ?? '') && (source !== part || part.image_url !== undefined)
  return isImage && url !== undefined && bytes === undefined
    ? { type: 'image', source: { type: 'url', url } }
    : undefined
}

function addressOf({ image_url }: JsonObject): string | undefined {
  return asString(image_url) ?? asString(asObject(image_url).url)
}

function mediaTypeOf({ media_type, mimeType, mediaType }: JsonObject): string | undefined {
  return asString(media_type) ?? asString(mimeType) ?? asString(mediaType)
}
