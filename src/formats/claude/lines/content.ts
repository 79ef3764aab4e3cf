import { omitUndefined } from '../../../json/omit-undefined.ts'
import { asObject, asString, isObject, type JsonObject } from '../../../json/values.ts'
import type { FileSource, UserContentPart } from '../../../state/content.ts'
import { typeName } from '../../translation/context.ts'
import type { ClaudeContext } from '../context.ts'

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
  return contentParts(content).flatMap((part) => (part.type === 'text' ? (asString(part.text) ?? []) : []))
}

/** Content as the source has it, but one text alone is a string. */
export function plainContent(content: unknown): unknown {
  const [part, ...others] = contentParts(content)
  if (!part) return content ?? ''
  return others.length === 0 && part.type === 'text' ? (asString(part.text) ?? content) : content
}

/** What a user message says, tool results aside. Parts of a kind that is not known are reported. */
export function saidParts(content: unknown, translation: ClaudeContext): readonly UserContentPart[] {
  return contentParts(content).flatMap((part): readonly UserContentPart[] => {
    if (part.type === 'tool_result') return []
    const read = userPart(part)
    if (!read) translation.reportUnknown('unknown-block', `user/${typeName(part.type)}`)
    return read ? [read] : []
  })
}

function userPart(part: JsonObject): UserContentPart | undefined {
  if (part.type === 'text' && typeof part.text === 'string') return { type: 'text', text: part.text }
  const source = fileSource(asObject(part.source))
  if (part.type === 'image') return source && { type: 'image', source }
  if (part.type === 'document')
    return source && omitUndefined({ type: 'file', source, name: asString(part.title) })
  return undefined
}

function fileSource({ type, data, url, media_type }: JsonObject): FileSource | undefined {
  const mediaType = asString(media_type)
  if (type === 'base64' && typeof data === 'string' && mediaType !== undefined)
    return { type, mediaType, data }
  if (type === 'url' && typeof url === 'string') return omitUndefined({ type: 'url', url, mediaType })
  return undefined
}
