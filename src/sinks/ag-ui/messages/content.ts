import { isObject, isString } from '../../../json/values.ts'
import type { BlockOf } from '../../../state/block.ts'
import type { FileSource, UserContentPart } from '../../../state/content.ts'
import type { AgUiContentPart, AgUiPartSource } from '../../../wires/ag-ui/message.ts'

/** Returns a message's content: a string if all of it is text. */
export function userContent(content: BlockOf<'user_message'>['content']): string | AgUiContentPart[] {
  if (isString(content)) return content
  return content.every(({ type }) => type === 'text') ? textOf(content) : content.map(partOf)
}

/** Returns the texts of a message. */
export function textOf(content: BlockOf<'user_message'>['content']): string {
  if (isString(content)) return content
  return content.flatMap((part) => (part.type === 'text' ? part.text : [])).join('\n')
}

/** Returns a tool's output as a text. A list of texts is joined, and any other value is a JSON text. */
export function outputText(output: unknown): string {
  if (isString(output)) return output
  const texts = Array.isArray(output) ? output.map(partText) : []
  if (texts.length > 0 && texts.every(isString)) return texts.join('\n')
  return JSON.stringify(output)
}

function partText(part: unknown): unknown {
  return isObject(part) && part.type === 'text' ? part.text : undefined
}

function partOf(part: UserContentPart): AgUiContentPart {
  if (part.type === 'text') return part
  const source = sourceOf(part.source)
  if (part.type === 'image') return { type: 'image', source }
  return { type: 'document', source, ...(part.name !== undefined && { metadata: { name: part.name } }) }
}

function sourceOf(source: FileSource): AgUiPartSource {
  if (source.type === 'base64') return { type: 'data', value: source.data, mimeType: source.mediaType }
  const { url: value, mediaType: mimeType } = source
  return mimeType === undefined ? { type: 'url', value } : { type: 'url', value, mimeType }
}
