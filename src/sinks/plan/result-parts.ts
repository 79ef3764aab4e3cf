import { asArray, asObject, asString, isObject, isString } from '../../core/json/values.ts'
import { type ConversationBlock, isCall } from '../../core/state/block.ts'
import { plainOutput, type UserContentPart } from '../../core/state/content.ts'
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

// A program keeps some messages behind its compaction: its model reads the summary, and then them. No two programs
// mark them in the same way. So a written session has them behind the summary, once.

/** Returns the blocks with those that a compaction keeps behind its summary. */
export function withKeptBehind(blocks: readonly ConversationBlock[]): readonly ConversationBlock[] {
  const marks = blocks.filter((block) => block.type === 'system' && block.keptBlockIds !== undefined)
  return marks.reduce(moveKept, blocks)
}

function moveKept(
  blocks: readonly ConversationBlock[],
  mark: ConversationBlock,
): readonly ConversationBlock[] {
  const at = blocks.indexOf(mark)
  const ids = new Set(mark.type === 'system' ? mark.keptBlockIds : undefined)
  const earlier = blocks.slice(0, at)
  const next = blocks[at + 1]
  const hasSummary = next?.type === 'user_message' && next.origin === 'summary'
  // Without a summary, nothing stands for the earlier blocks.
  if (!hasSummary) return blocks
  for (const block of earlier) if (isCall(block) && ids.has(block.id)) ids.add(block.toolUseId)
  const isKept = (block: ConversationBlock) =>
    ids.has(block.id) || (block.type === 'tool_result' && ids.has(block.toolUseId))
  return [
    ...earlier.filter((block) => !isKept(block)),
    mark,
    next,
    ...earlier.filter(isKept),
    ...blocks.slice(at + 2),
  ]
}
