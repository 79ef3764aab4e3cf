import type { UserContentPart } from '../../core/state/content.ts'
import type { LossCounter } from './losses.ts'

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
