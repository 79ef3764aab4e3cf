import type { BlockOf, UserMessageOrigin } from '../../core/state/block.ts'
import type { FileSource, UserContentPart } from '../../core/state/content.ts'
import type { Details, SessionText } from './text/session-text.ts'
import { sizeOf } from './tool-call.ts'

/** The name of a message that the program wrote. */
export const ORIGINS: Readonly<Record<UserMessageOrigin, string>> = {
  command: 'Command',
  notification: 'Notification',
  summary: 'Summary of the conversation',
  meta: 'Note to the model',
}

type UserMessage = BlockOf<'user_message'>

/** Returns a prompt below a heading with its first line. A prompt of one short line is the heading alone. */
export function promptPieces(
  text: SessionText,
  { content }: UserMessage,
  heading: string,
): readonly string[] {
  const prompt = textOf(content)
  const title = text.first(prompt)
  const isWhole = title === text.redacted(prompt).trim()
  const words = isWhole ? [] : [text.prose(prompt, true)]
  return [
    `${heading} ${text.inline(title === '' ? 'Prompt without text' : title)}`,
    ...words,
    ...filePieces(text, content),
  ]
}

/** Returns the prompt that an agent got, with a label in place of a heading. */
export function agentPromptPieces(text: SessionText, content: UserMessage['content']): readonly string[] {
  return ['**Prompt**', text.prose(textOf(content), true), ...filePieces(text, content)]
}

/** Returns a message that the program wrote, collapsed. It is often no Markdown, save for a summary. */
export function injectedPiece(
  { text, details }: { readonly text: SessionText; readonly details: Details },
  { content, origin }: UserMessage & { readonly origin: UserMessageOrigin },
): string {
  const words = textOf(content)
  const body = origin === 'summary' ? text.prose(words) : text.block(words)
  const excerpt = text.first(withoutTags(words))
  return details.around(
    [{ bold: ORIGINS[origin] }, excerpt],
    [words === '' ? '' : body, ...filePieces(text, content)],
  )
}

/** Returns a message that the program wrote without the tags that the program marks it with. */
export function withoutTags(words: string): string {
  return words.replace(/<[^<>\n]{0,80}>/g, ' ')
}

/** Returns the texts of a message. */
export function textOf(content: UserMessage['content']): string {
  if (typeof content === 'string') return content
  return content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n\n')
}

function filePieces(text: SessionText, content: UserMessage['content']): readonly string[] {
  return typeof content === 'string' ? [] : content.flatMap((part) => filePiece(text, part))
}

/** Returns the notes about the images and files of a message, as plain text. */
export function fileNotes(text: SessionText, content: UserMessage['content']): readonly string[] {
  if (typeof content === 'string') return []
  return content.flatMap((part) => {
    if (part.type === 'text') return []
    const name = part.type === 'file' && part.name !== undefined ? `${part.name} ` : ''
    const { source } = part
    const place =
      source.type === 'base64'
        ? `${source.mediaType}, ${sizeOf(source.data)}`
        : text.short(source.url, source.url.startsWith('data:') ? 24 : 300)
    return [`${part.type === 'image' ? 'Image' : 'File'}: ${text.short(name + place, 400)}`]
  })
}

function filePiece(text: SessionText, part: UserContentPart): readonly string[] {
  if (part.type === 'text') return []
  const name = part.type === 'file' && part.name !== undefined ? ` ${text.code(part.name)}` : ''
  return [`*${part.type === 'image' ? 'Image' : 'File'}:*${name} ${placeOf(text, part.source)}`]
}

function placeOf(text: SessionText, source: FileSource): string {
  if (source.type === 'base64') return `${text.inline(source.mediaType)}, ${sizeOf(source.data)}`
  const type = source.mediaType === undefined ? '' : `${text.inline(source.mediaType)} `
  return `${type}${source.url.startsWith('data:') ? text.code(source.url, 24) : text.code(source.url, 300)}`
}
