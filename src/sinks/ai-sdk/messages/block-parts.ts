import { omitUndefined } from '../../../core/json/fields.ts'
import { assertNever } from '../../../core/json/values.ts'
import { type BlockOf, messageIdOf, modelOf } from '../../../core/state/block.ts'
import type { FileSource, UserContentPart } from '../../../core/state/content.ts'
import type { BlockMetadata, DataPart, FilePart, PersonTextPart, SessionUIPart } from './ui-message.ts'

/** A block whose part follows from the block alone. */
type PlainBlock = BlockOf<
  'user_message' | 'assistant_text' | 'thinking' | 'request' | 'system' | 'error' | 'skill_load'
>

/** Returns the part of a block in an answer. */
export function plainPart(block: PlainBlock): SessionUIPart {
  const { id, type } = block
  switch (type) {
    case 'assistant_text':
      return {
        type: 'text',
        text: block.content,
        state: stateOf(block),
        providerMetadata: blockMetadata(block),
      }
    case 'thinking':
      return {
        type: 'reasoning',
        id,
        text: block.content,
        state: stateOf(block),
        providerMetadata: blockMetadata(block),
      }
    case 'request':
      return { type: 'data-request', id, data: block }
    case 'system':
      return { type: 'data-system', id, data: block }
    case 'error':
      return { type: 'data-error', id, data: block }
    case 'skill_load':
      return { type: 'data-skill-load', id, data: block }
    case 'user_message':
      return { type: 'data-user-message', id, data: block }
    default:
      return assertNever(type)
  }
}

function stateOf({ status }: BlockOf<'assistant_text' | 'thinking'>): 'streaming' | 'done' {
  return status === 'pending' ? 'streaming' : 'done'
}

/** Returns the facts of a block that the AI SDK has no field for. */
export function blockMetadata(
  block: BlockOf<'assistant_text' | 'thinking' | 'tool_use' | 'tool_result' | 'subagent'>,
): BlockMetadata {
  return {
    agentfold: omitUndefined({
      blockId: block.id,
      messageId: messageIdOf(block),
      model: modelOf(block),
      timestamp: block.timestamp,
      durationMs: block.type === 'tool_result' ? block.durationMs : undefined,
      redacted: block.type === 'thinking' ? block.redacted : undefined,
      isError: block.type !== 'subagent' && block.status === 'error' ? true : undefined,
    }),
  }
}

/** Returns the parts of a person's message. It has at least one, because the AI SDK refuses a message without. */
export function personParts({ id, content }: BlockOf<'user_message'>): SessionUIPart[] {
  if (typeof content === 'string') return [textPart(content)]
  const parts = content.map((part, at) => contentPart(part, `${id}:${at}`))
  return parts.length === 0 ? [textPart('')] : parts
}

function contentPart(part: UserContentPart, id: string): PersonTextPart | FilePart | DataPart {
  if (part.type === 'text') return textPart(part.text)
  const name = part.type === 'file' ? part.name : undefined
  const url = urlOf(part.source)
  if (url === undefined) return { type: 'data-file', id, data: omitUndefined({ source: part.source, name }) }
  const mediaType = part.source.mediaType ?? (part.type === 'image' ? 'image/*' : 'application/octet-stream')
  return omitUndefined({ type: 'file', mediaType, url, filename: name })
}

function textPart(text: string): PersonTextPart {
  return { type: 'text', text }
}

/** The AI SDK throws for a file whose place is not a URL, such as a path. */
function urlOf(source: FileSource): string | undefined {
  if (source.type === 'base64') return `data:${source.mediaType};base64,${source.data}`
  try {
    return new URL(source.url) && source.url
  } catch {
    return undefined
  }
}
