import type { FileSource, UserContentPart } from '../../state/block.ts'
import { fields, isObject, type JsonObject, text } from '../../state/json.ts'
import { known } from '../../state/known.ts'
import { typeName } from '../translation.ts'
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
export function saidParts(content: unknown, translation: Translation): readonly UserContentPart[] {
  return contentParts(content).flatMap((part): readonly UserContentPart[] => {
    if (part.type === 'tool_result') return []
    const read = userPart(part)
    if (!read) translation.report('unknown-block', `user/${typeName(part.type)}`)
    return read ? [read] : []
  })
}

function userPart(part: JsonObject): UserContentPart | undefined {
  if (part.type === 'text' && typeof part.text === 'string') return { type: 'text', text: part.text }
  const source = fileSource(fields(part.source))
  if (part.type === 'image') return source && { type: 'image', source }
  if (part.type === 'document') return source && known({ type: 'file', source, name: text(part.title) })
  return undefined
}

function fileSource({ type, data, url, media_type }: JsonObject): FileSource | undefined {
  const mediaType = text(media_type)
  if (type === 'base64' && typeof data === 'string' && mediaType !== undefined)
    return { type, mediaType, data }
  if (type === 'url' && typeof url === 'string') return known({ type: 'url', url, mediaType })
  return undefined
}
