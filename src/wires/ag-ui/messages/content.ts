import { omitUndefined } from '../../../core/json/fields.ts'
import { asArray, asFiniteNumber, asObject, asString, type JsonObject } from '../../../core/json/values.ts'
import type { UserMessageBlock, UserMessageOrigin } from '../../../core/state/block.ts'
import { type FileSource, type UserContentPart, userContent } from '../../../core/state/content.ts'
import type { SessionOutput } from '../../../reading/context.ts'
import { typeName } from '../../../reading/context.ts'

const ORIGINS: readonly UserMessageOrigin[] = ['command', 'notification', 'summary', 'meta']

/** Returns the origin of a message that is not the person's. Instructions of a system or a developer are the program's. */
export function originOf({ role, metadata }: JsonObject): UserMessageOrigin | undefined {
  if (role !== 'system' && role !== 'developer') return undefined
  const { origin } = asObject(metadata)
  return ORIGINS.find((each) => each === origin) ?? 'meta'
}

/** Returns the content of a person's message: a text, or a list of parts. Reports parts of an unknown type. */
export function readContent(content: unknown, output: SessionOutput): UserMessageBlock['content'] {
  if (!Array.isArray(content)) return asString(content) ?? ''
  const parts = content.flatMap((part): readonly UserContentPart[] => {
    const read = readPart(part)
    if (read.length === 0) output.reportUnknown('unknown-block', `user/${typeName(asObject(part).type)}`)
    return read
  })
  return userContent(parts) ?? ''
}

/** The result of a call. */
export interface CallResult {
  readonly content: unknown
  readonly isError: boolean
  /** The call was cut, so that the output may lack its end. */
  readonly isCut: boolean
  readonly durationMs: number | undefined
  readonly timestamp: string | undefined
}

/** Reads the result of a call from an event or a message. */
export function readResult({ content, error, metadata }: JsonObject, timestamp?: string): CallResult {
  const { isError, isCut, durationMs } = asObject(metadata)
  return {
    content: content === '' ? (asString(error) ?? content) : content,
    isError: isError === true || typeof error === 'string',
    isCut: isCut === true,
    durationMs: asFiniteNumber(durationMs),
    timestamp,
  }
}

/** Returns the output of a tool. A list of texts alone is one text. */
export function readOutput(content: unknown): unknown {
  const texts = asArray(content).map((part) => asString(asObject(part).text))
  if (texts.length === 0) return content ?? ''
  return texts.every((text) => text !== undefined) ? texts.join('\n') : content
}

function readPart(value: unknown): readonly UserContentPart[] {
  const part = asObject(value)
  const { type, text, metadata } = part
  if (type === 'text') return [{ type, text: asString(text) ?? '' }]
  const source = type === 'binary' ? binarySource(part) : readSource(asObject(part.source))
  if (!source) return []
  const isImage = type === 'image' || (type === 'binary' && source.mediaType?.startsWith('image/'))
  if (isImage) return [{ type: 'image', source }]
  const { name, filename } = asObject(metadata)
  return [omitUndefined({ type: 'file', source, name: asString(part.filename ?? name ?? filename) } as const)]
}

function readSource({ type, value, mimeType }: JsonObject): FileSource | undefined {
  const [data, mediaType] = [asString(value), asString(mimeType)]
  if (data === undefined) return undefined
  if (type === 'data') return { type: 'base64', mediaType: mediaType ?? UNKNOWN_MEDIA, data }
  return omitUndefined({ type: 'url', url: data, mediaType } as const)
}

/** The media type of bytes whose type is not known. */
const UNKNOWN_MEDIA = 'application/octet-stream'

/** Reads the part of versions before 1.0: bytes, an address or the id of a file. */
function binarySource({ mimeType, data, url, id }: JsonObject): FileSource | undefined {
  return data === undefined
    ? readSource({ type: 'url', value: url ?? id, mimeType })
    : readSource({ type: 'data', value: data, mimeType })
}
