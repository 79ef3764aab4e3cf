import { asArray, asObject, asString, isObject, isString } from '../../core/json/values.ts'
import type { UserContentPart } from '../../core/state/content.ts'
import { plainOutput } from '../../core/state/plain-output.ts'
import type { LossCounter } from './losses.ts'
import type { ResultImage, ResultPart } from './plan.ts'

/** Returns the parts of a tool's output for the model. A value that is neither a text nor an image becomes JSON. */
export function resultParts(output: unknown): readonly ResultPart[] {
  if (output === undefined || output === null || output === '') return []
  const parts = asArray(plainOutput(Array.isArray(output) ? output : [output]))
  return parts.map(partOf).filter((part) => part.type !== 'text' || part.text !== '')
}

function partOf(value: unknown): ResultPart {
  const part = asObject(isObject(value) && isObject(value.content) ? value.content : value)
  const text = asString(value) ?? asString(part.text)
  if (text !== undefined) return { type: 'text', text }
  const { data, mediaType } = asObject(part.source)
  const isImage = part.type === 'image' && isString(data) && isString(mediaType)
  return isImage ? { type: 'image', mediaType, data } : { type: 'text', text: JSON.stringify(value) }
}

/** Returns the images of a result. */
export function imagesIn({ parts }: { readonly parts: readonly ResultPart[] }): readonly ResultImage[] {
  return parts.filter((part) => part.type === 'image')
}

/** Returns the texts of a result in one. */
export function resultText({ parts }: { readonly parts: readonly ResultPart[] }): string {
  return parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n')
}

type Attachment = Exclude<UserContentPart, { readonly type: 'text' }>

/** Returns the text that stands for a file or an image that the program does not take, and counts the loss. */
export function attachmentText(part: Attachment, place: string, losses: LossCounter): string {
  losses.add('attachment', place)
  return attachmentName(part)
}

/** Returns the text that stands for a file or an image. */
export function attachmentName(part: Attachment): string {
  const { type, source } = part
  const name = type === 'file' ? part.name : undefined
  return `[${type}: ${name ?? (source.type === 'url' ? source.url : source.mediaType)}]`
}
