import { asArray, asObject, asString, assertNever, isObject, isString } from '../../core/json/values.ts'
import type { PlainBlock } from '../../core/selectors/walk.ts'
import type { UserMessageBlock } from '../../core/state/block.ts'
import { type FileSource, plainOutput, type UserContentPart } from '../../core/state/content.ts'
import type { ContentBlock, MessageChunk } from './messages.ts'

/**
 * Returns the chunks of a block. Requests, system blocks and loaded skills have none, because ACP has no update for
 * them. Empty texts have none either.
 */
export function blockChunks(block: PlainBlock): readonly MessageChunk[] {
  switch (block.type) {
    case 'user_message':
      return userChunks(block)
    case 'assistant_text':
      return textChunks('agent_message_chunk', block.messageId ?? block.id, block.content)
    case 'thinking':
      return textChunks('agent_thought_chunk', block.messageId ?? block.id, block.content)
    case 'error':
      return textChunks('agent_message_chunk', block.id, block.message)
    case 'request':
    case 'system':
    case 'skill_load':
      return []
    default:
      return assertNever(block)
  }
}

/** Agents send the summary of a compaction as the person's message, and nothing else that a program wrote in the person's place. */
function userChunks({ id, origin, content }: UserMessageBlock): readonly MessageChunk[] {
  if (origin !== undefined && origin !== 'summary') return []
  return userContent(content).map((part) => ({
    sessionUpdate: 'user_message_chunk',
    messageId: id,
    content: part,
  }))
}

function textChunks(
  sessionUpdate: MessageChunk['sessionUpdate'],
  messageId: string,
  text: string,
): readonly MessageChunk[] {
  return text === '' ? [] : [{ sessionUpdate, messageId, content: textContent(text) }]
}

/** Returns the text as a content block. */
export function textContent(text: string): ContentBlock {
  return { type: 'text', text }
}

/** Returns the parts of a user's message. Empty texts are left out. */
export function userContent(content: UserMessageBlock['content']): ContentBlock[] {
  const parts = typeof content === 'string' ? [{ type: 'text', text: content } as const] : content
  return parts.filter((part) => part.type !== 'text' || part.text !== '').map(partContent)
}

function partContent(part: UserContentPart): ContentBlock {
  if (part.type === 'text') return textContent(part.text)
  const { source } = part
  if (source.type === 'url') return linkContent(source, nameOf(part))
  const { mediaType: mimeType, data } = source
  if (part.type === 'image') return { type: 'image', mimeType, data }
  return { type: 'resource', resource: { uri: nameOf(part) ?? 'attachment', blob: data, mimeType } }
}

function nameOf(part: UserContentPart): string | undefined {
  return part.type === 'file' ? part.name : undefined
}

/** ACP requires a name, so a file without one has the last part of its address. */
function linkContent(
  { url: uri, mediaType: mimeType }: Extract<FileSource, { readonly type: 'url' }>,
  name = uri.slice(uri.lastIndexOf('/') + 1) || uri,
): ContentBlock {
  return mimeType === undefined
    ? { type: 'resource_link', uri, name }
    : { type: 'resource_link', uri, name, mimeType }
}

/** Returns the output of a tool for people: its texts as blocks of code in that language, its images, and other values as JSON. */
export function outputContent(output: unknown, language: string): readonly ContentBlock[] {
  if (output === undefined || output === null || output === '') return []
  const parts = asArray(plainOutput(Array.isArray(output) ? output : [output]))
  return parts.map((part) => outputPart(part, language))
}

function outputPart(part: unknown, language: string): ContentBlock {
  const text = asString(part) ?? (isObject(part) && part.type === 'text' ? asString(part.text) : undefined)
  if (text !== undefined) return fencedContent(text, language)
  return imageOf(asObject(part)) ?? fencedContent(JSON.stringify(part, null, 2), 'json')
}

/** Clients show a text as Markdown, so an output is a block of code. Its fence is longer than any in the output. */
function fencedContent(text: string, language: string): ContentBlock {
  const longest = (text.match(/`{3,}/g) ?? []).reduce((length, ticks) => Math.max(length, ticks.length), 2)
  const fence = '`'.repeat(longest + 1)
  return textContent(`${fence}${language}\n${text.replace(/\n$/, '')}\n${fence}`)
}

function imageOf(part: Readonly<Record<string, unknown>>): ContentBlock | undefined {
  const { data, mediaType: mimeType } = asObject(part.source)
  const isImage = part.type === 'image' && isString(data) && isString(mimeType)
  return isImage ? { type: 'image', mimeType, data } : undefined
}
