import { omitUndefined } from '../../../json/omit-undefined.ts'
import { asObject, asString, isObject, type JsonObject } from '../../../json/values.ts'
import type { FileSource, UserContentPart } from '../../../state/content.ts'
import { typeName } from '../../translation/context.ts'
import type { ClaudeContext } from '../context.ts'

/** Returns a message's content as a list of parts. A string, alone or among the parts, becomes a text part. */
export function contentParts(content: unknown): readonly JsonObject[] {
  if (isListOfObjects(content)) return content
  const parts = Array.isArray(content) ? content : [content]
  return parts.flatMap((part) => {
    if (typeof part === 'string') return [{ type: 'text', text: part }]
    return isObject(part) ? [part] : []
  })
}

/** Most messages are such a list, and several rules ask for its parts. */
function isListOfObjects(content: unknown): content is readonly JsonObject[] {
  return Array.isArray(content) && content.every(isObject)
}

/** Returns the texts of a message's text parts. */
export function textsIn(content: unknown): readonly string[] {
  return contentParts(content).flatMap((part) => (part.type === 'text' ? (asString(part.text) ?? []) : []))
}

/** Returns the content unchanged, but a single text part as a string. */
export function contentOrText(content: unknown): unknown {
  const [part, ...others] = contentParts(content)
  if (!part) return content ?? ''
  return others.length === 0 && part.type === 'text' ? (asString(part.text) ?? content) : content
}

/** Returns the parts of a user message without its tool results. Reports parts of an unknown type. */
export function userContentParts(content: unknown, context: ClaudeContext): readonly UserContentPart[] {
  return contentParts(content).flatMap((part): readonly UserContentPart[] => {
    if (part.type === 'tool_result') return []
    const userPart = readUserPart(part)
    if (!userPart) context.reportUnknown('unknown-block', `user/${typeName(part.type)}`)
    return userPart ? [userPart] : []
  })
}

function readUserPart(part: JsonObject): UserContentPart | undefined {
  if (part.type === 'text' && typeof part.text === 'string') return { type: 'text', text: part.text }
  const source = readFileSource(asObject(part.source))
  if (part.type === 'image') return source && { type: 'image', source }
  if (part.type === 'document')
    return source && omitUndefined({ type: 'file', source, name: asString(part.title) })
  return undefined
}

function readFileSource({ type, data, url, media_type }: JsonObject): FileSource | undefined {
  const mediaType = asString(media_type)
  if (type === 'base64' && typeof data === 'string' && mediaType !== undefined)
    return { type, mediaType, data }
  if (type === 'url' && typeof url === 'string') return omitUndefined({ type: 'url', url, mediaType })
  return undefined
}
