import { asObject, asString, isObject, type JsonObject } from '../json/values.ts'
import type { ResultImage, ResultPart } from './plan.ts'

/** Returns the parts of a tool's output for the model. A value that is neither a text nor an image becomes JSON. */
export function resultParts(output: unknown): readonly ResultPart[] {
  if (output === undefined || output === null || output === '') return []
  const parts = Array.isArray(output) ? output.map(partOf) : [partOf(output)]
  return parts.filter((part) => part.type !== 'text' || part.text !== '')
}

function partOf(value: unknown): ResultPart {
  const part = asObject(isObject(value) && isObject(value.content) ? value.content : value)
  const text = asString(value) ?? asString(part.text)
  if (text !== undefined) return { type: 'text', text }
  return imageOf(part) ?? { type: 'text', text: JSON.stringify(value) }
}

/** The bytes of an image are in `data`, in a `source`, or in a `data:` address. */
function imageOf(part: JsonObject): ResultPart | undefined {
  const source = isObject(part.source) ? part.source : isObject(part.inlineData) ? part.inlineData : part
  const address = asString(part.image_url) ?? asString(part.url) ?? asString(asObject(part.image_url).url)
  const [, typed, bytes] = /^data:([^;,]+);base64,(.*)$/s.exec(address ?? '') ?? []
  const data = bytes ?? asString(source.data)
  const mediaType =
    typed ?? asString(source.media_type) ?? asString(source.mimeType) ?? asString(source.mediaType)
  if (data === undefined || mediaType === undefined || !mediaType.startsWith('image/')) return undefined
  return { type: 'image', mediaType, data }
}

/** Returns the images of a result. */
export function imagesIn({ parts }: { readonly parts: readonly ResultPart[] }): readonly ResultImage[] {
  return parts.filter((part) => part.type === 'image')
}

/** Returns the texts of a result in one. */
export function resultText({ parts }: { readonly parts: readonly ResultPart[] }): string {
  return parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n')
}
