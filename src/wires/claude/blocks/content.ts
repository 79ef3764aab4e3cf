import { omitUndefined } from '../../../core/json/fields.ts'
import { asObject, asString, type JsonObject } from '../../../core/json/values.ts'
import type { FileSource, UserContentPart } from '../../../core/state/content.ts'
import { contentParts } from '../../../programs/claude-code/texts.ts'
import { typeName } from '../../../reading/context.ts'
import type { ClaudeContext } from '../context.ts'

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
