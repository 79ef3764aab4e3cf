import { omitUndefined } from '../../../json/omit-undefined.ts'
import { asObject, asString, isObject, type JsonObject } from '../../../json/values.ts'
import { typeName } from '../../../session/context.ts'
import type { FileSource, UserContentPart } from '../../../state/content.ts'
import type { ClaudeContext } from '../context.ts'

/** Returns a message's content as a list of parts. A string, alone or among the parts, becomes a text part. */
export function contentParts(content: unknown): readonly JsonObject[] {
  if (content === undefined) return NO_PARTS
  if (isListOfObjects(content)) return content
  const parts: JsonObject[] = []
  for (const part of Array.isArray(content) ? content : [content])
    if (typeof part === 'string') parts.push({ type: 'text', text: part })
    else if (isObject(part)) parts.push(part)
  return parts
}

const NO_PARTS: readonly JsonObject[] = []

/** Most messages are such a list. */
function isListOfObjects(content: unknown): content is readonly JsonObject[] {
  return Array.isArray(content) && content.every(isObject)
}

/** Returns the texts of a message's text parts. */
export function textsIn(content: unknown): readonly string[] {
  return textsOfParts(contentParts(content))
}

/** Returns the texts of the text parts. */
export function textsOfParts(parts: readonly JsonObject[]): readonly string[] {
  const texts: string[] = []
  for (const { type, text } of parts) if (type === 'text' && typeof text === 'string') texts.push(text)
  return texts
}

/** Returns the content unchanged, but a single text part as a string. */
export function contentOrText(content: unknown): unknown {
  if (typeof content === 'string') return content
  const parts = contentParts(content)
  const part = parts[0]
  if (!part) return content ?? ''
  return parts.length === 1 && part.type === 'text' ? (asString(part.text) ?? content) : content
}

/** Returns the parts of a user message without its tool results. Reports parts of an unknown type. */
export function userContentParts(
  parts: readonly JsonObject[],
  context: ClaudeContext,
): readonly UserContentPart[] {
  const userParts: UserContentPart[] = []
  for (const part of parts) {
    if (part.type === 'tool_result') continue
    const userPart = readUserPart(part)
    if (userPart) userParts.push(userPart)
    else context.reportUnknown('unknown-block', `user/${typeName(part.type)}`)
  }
  return userParts
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
