import { omitUndefined } from '../../../core/json/fields.ts'
import { asArray, asObject, asString, type JsonObject } from '../../../core/json/values.ts'
import type { UserContentPart } from '../../../core/state/content.ts'
import type { SessionOutput } from '../../../reading/context.ts'
import { typeName } from '../../../reading/context.ts'

/** Reads a content block. Text and files are parts of a person's message; undefined for an unknown type. */
export function readContent(content: unknown): UserContentPart | undefined {
  const block = asObject(content)
  switch (block.type) {
    case 'text':
      return { type: 'text', text: asString(block.text) ?? '' }
    case 'image':
      return { type: 'image', source: dataSource(block) }
    case 'audio':
      return { type: 'file', source: dataSource(block) }
    case 'resource_link':
      return omitUndefined({
        type: 'file',
        source: urlSource(block),
        name: asString(block.title) ?? asString(block.name),
      })
    case 'resource':
      return readResource(asObject(block.resource))
    default:
      return undefined
  }
}

/** An image may be somewhere else. */
function dataSource({ data, mimeType, uri }: JsonObject): (UserContentPart & { type: 'image' })['source'] {
  const bytes = asString(data)
  const url = asString(uri)
  if (!bytes && url !== undefined) return urlSource({ uri: url, mimeType })
  return { type: 'base64', mediaType: asString(mimeType) ?? UNKNOWN_TYPE, data: bytes ?? '' }
}

const UNKNOWN_TYPE = 'application/octet-stream'

function urlSource({ uri, mimeType }: JsonObject): (UserContentPart & { type: 'image' })['source'] {
  return omitUndefined({ type: 'url', url: asString(uri) ?? '', mediaType: asString(mimeType) })
}

/** A resource has a text, or the bytes of a file. */
function readResource({ text, blob, uri, mimeType }: JsonObject): UserContentPart {
  const data = asString(blob)
  const name = asString(uri)
  if (data !== undefined)
    return omitUndefined({
      type: 'file',
      source: { type: 'base64', mediaType: asString(mimeType) ?? UNKNOWN_TYPE, data } as const,
      name,
    })
  return { type: 'text', text: asString(text) ?? name ?? '' }
}

/** Reads the content of a message. Reports parts of an unknown type. */
export function readParts(
  content: unknown,
  messageType: string,
  output: SessionOutput,
): readonly UserContentPart[] {
  return asArray(content).flatMap((part) => {
    const read = readContent(part)
    if (!read) output.reportUnknown('unknown-block', `${messageType}/${typeName(asObject(part).type)}`)
    return read ?? []
  })
}

/** Returns the text of a part. A file that the agent sends in its own text is its name or address. */
export function textOfPart(part: UserContentPart): string {
  if (part.type === 'text') return part.text
  const name = part.type === 'file' ? part.name : undefined
  return name ?? (part.source.type === 'url' ? part.source.url : part.source.mediaType)
}
