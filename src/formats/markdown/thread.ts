import { assertNever } from '../../json/assert-never.ts'
import type { BlockOf, ConversationBlock, UserMessageOrigin } from '../../state/block.ts'
import { changePieces } from './changes.ts'
import { agentPromptPieces, injectedPiece, promptPieces } from './message.ts'
import { requestPieces } from './request.ts'
import { callPiece, resultPiece, type Writer } from './tool-call.ts'

type Results = ReadonlyMap<string, readonly BlockOf<'tool_result'>[]>

/** A piece of the document, or the block of an agent whose conversation belongs here. */
type ThreadPiece = string | BlockOf<'subagent'> | BlockOf<'system'>

/**
 * Yields the pieces of a conversation in order. Each call has its results with it. The block of an agent, and a note that may mark an
 * abandoned branch, are yielded as they are.
 */
export function* threadPieces(
  writer: Writer,
  blocks: readonly ConversationBlock[],
  isMain: boolean,
): Generator<ThreadPiece, void> {
  const results = resultsByCall(blocks)
  const shown = new Set<string>()
  const calls = new Set(blocks.flatMap((block) => (block.type === 'tool_use' ? [block.toolUseId] : [])))
  for (const block of blocks) {
    if (block.type === 'tool_use') {
      yield callPiece(writer, block, shown.has(block.toolUseId) ? [] : (results.get(block.toolUseId) ?? []))
      shown.add(block.toolUseId)
    } else if (block.type === 'tool_result') {
      if (!calls.has(block.toolUseId)) yield resultPiece(writer, block)
    } else if (block.type === 'subagent' || block.type === 'system') yield block
    else yield* blockPieces(writer, block, isMain)
  }
}

function resultsByCall(blocks: readonly ConversationBlock[]): Results {
  const results = new Map<string, BlockOf<'tool_result'>[]>()
  for (const block of blocks) {
    if (block.type !== 'tool_result') continue
    const known = results.get(block.toolUseId)
    if (known) known.push(block)
    else results.set(block.toolUseId, [block])
  }
  return results
}

type TextBlock = Exclude<ConversationBlock, BlockOf<'tool_use' | 'tool_result' | 'subagent' | 'system'>>

function blockPieces(writer: Writer, block: TextBlock, isMain: boolean): readonly string[] {
  const { text, details } = writer
  switch (block.type) {
    case 'user_message':
      return messagePieces(writer, block, isMain)
    case 'assistant_text':
      return [text.prose(block.content)]
    case 'thinking':
      return block.content.trim() === ''
        ? []
        : [details.around([{ bold: 'Thinking' }], [text.prose(block.content)])]
    case 'request':
      return requestPieces(text, block)
    case 'error':
      return errorPieces(writer, block)
    case 'skill_load':
      return [details.around([{ bold: 'Skill' }, text.short(block.skillName)], [text.prose(block.content)])]
    default:
      return assertNever(block)
  }
}

function messagePieces(writer: Writer, block: BlockOf<'user_message'>, isMain: boolean): readonly string[] {
  const { text, details } = writer
  const { origin, content, changes = [] } = block
  const files = changes.flatMap((change) => changePieces(text, change))
  const sum = files.length === 0 ? [] : [details.around([{ bold: 'Files that the turn changed' }], files)]
  if (origin !== undefined) return [injectedPiece(writer, withOrigin(block, origin)), ...sum]
  return [...(isMain ? promptPieces(text, block, '##') : agentPromptPieces(text, content)), ...sum]
}

function withOrigin(
  block: BlockOf<'user_message'>,
  origin: UserMessageOrigin,
): BlockOf<'user_message'> & { readonly origin: UserMessageOrigin } {
  return { ...block, origin }
}

function errorPieces({ text }: Writer, { message, code }: BlockOf<'error'>): readonly string[] {
  const name = code === undefined || code === '' ? 'Error' : `Error ${text.inline(code)}`
  const line = text.short(message, 300)
  const isLine = line === text.redacted(message).trim()
  return isLine ? [`> **${name}:** ${text.inline(line, 300)}`] : [`> **${name}:**`, text.block(message)]
}

/** Returns a report of the program: one line, or collapsed if it has more. */
export function systemPiece({ text, details }: Writer, { subtype, message }: BlockOf<'system'>): string {
  const name = text.short(subtype).replaceAll('_', ' ')
  const line = text.short(message, 200)
  if (line === text.redacted(message).trim())
    return `*${text.inline(name)}*${line === '' ? '' : `: ${text.inline(line, 200)}`}`
  return details.around([{ bold: name }, text.first(message)], [text.block(message)])
}
