import type { ImageSource, UserContentPart } from '../../state/block.ts'
import { fields, isObject, type JsonObject, text } from '../../state/json.ts'
import { known } from '../../state/known.ts'
import type { Translation } from './translation.ts'

/** A message's content as a list of parts; a string, alone or among the parts, is a text part. */
export function contentParts(content: unknown): readonly JsonObject[] {
  const parts = Array.isArray(content) ? content : [content]
  return parts.flatMap((part) => {
    if (typeof part === 'string') return [{ type: 'text', text: part }]
    return isObject(part) ? [part] : []
  })
}

/** The texts among the parts. */
export function texts(content: unknown): readonly string[] {
  return contentParts(content).flatMap((part) => (part.type === 'text' ? (text(part.text) ?? []) : []))
}

/** Content as the source has it, but one text alone is a string. */
export function plainContent(content: unknown): unknown {
  const [part, ...others] = contentParts(content)
  if (!part) return content ?? ''
  return others.length === 0 && part.type === 'text' ? (text(part.text) ?? content) : content
}

/** What a user message says, tool results aside. Parts of a kind that is not known are reported. */
export function userContent(
  content: unknown,
  translation: Translation,
): string | readonly UserContentPart[] | undefined {
  const parts = contentParts(content).flatMap((part): readonly UserContentPart[] => {
    if (part.type === 'tool_result') return []
    const known = userPart(part)
    if (!known) translation.report('unknown-block', `user/${text(part.type) ?? 'untyped'}`)
    return known ? [known] : []
  })
  const [first, ...others] = parts
  if (!first) return undefined
  return others.length === 0 && first.type === 'text' ? first.text : parts
}

function userPart(part: JsonObject): UserContentPart | undefined {
  if (part.type === 'text' && typeof part.text === 'string') return { type: 'text', text: part.text }
  const source = part.type === 'image' ? imageSource(fields(part.source)) : undefined
  return source && { type: 'image', source }
}

function imageSource({ type, data, url, media_type }: JsonObject): ImageSource | undefined {
  const mediaType = text(media_type)
  if (type === 'base64' && typeof data === 'string' && mediaType !== undefined)
    return { type, mediaType, data }
  if (type === 'url' && typeof url === 'string') return known({ type: 'url' as const, url, mediaType })
  return undefined
}
