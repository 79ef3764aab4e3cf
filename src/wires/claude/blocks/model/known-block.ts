import { asString, type JsonObject } from '../../../../json/values.ts'
import type { MessageBlock } from '../../memory.ts'
import type { BlockSearch } from './block-search.ts'

/** Facts of the line that holds a whole block. */
export interface LineOfBlock {
  /** The stated index. Only files of 2.1.330 state it. */
  readonly index: number | undefined
  readonly isUnnamed: boolean
}

/** Returns the known block whose start comes again. A call is known by its id, because its place may be a counted one. */
export function startedBlock(part: JsonObject, index: number, search: BlockSearch): MessageBlock | undefined {
  const toolUseId = asString(part.id)
  const call = toolUseId === undefined ? undefined : search.call(toolUseId)
  return call ?? search.atIndex(index)
}

/**
 * Returns the known block that a whole block repeats or completes. A call has the same id. Any other block has the stated index, or it
 * is the first of its kind that is not whole. A block whose line has no known uuid is also known by its text.
 */
export function knownBlock(
  part: JsonObject,
  line: LineOfBlock,
  search: BlockSearch,
): MessageBlock | undefined {
  const toolUseId = asString(part.id)
  if (toolUseId !== undefined) return search.call(toolUseId)
  const known = knownText(part, line, search)
  if (known || line.isUnnamed) return known
  return search.last && isCutText(search.last, part) ? search.last : undefined
}

function knownText(
  part: JsonObject,
  { index, isUnnamed }: LineOfBlock,
  search: BlockSearch,
): MessageBlock | undefined {
  const isSameKind = ({ contentType, toolUseId }: MessageBlock) =>
    contentType === part.type && toolUseId === undefined
  const atIndex = index === undefined ? undefined : search.atIndex(index, isSameKind)
  if (atIndex) return atIndex
  const text = textOf(part)
  let same: MessageBlock | undefined
  let begun: MessageBlock | undefined
  for (const block of search.repeatableTexts(part.type)) {
    const { isWhole, unnamedText } = block
    if (unnamedText === undefined) return block
    if (isWhole && !isUnnamed && unnamedText === text) same ??= block
    if (!isWhole && text.startsWith(unnamedText)) begun ??= block
  }
  return same ?? begun
}

/** Whether a resume found only the beginning of the block's text. The end of an input makes such a text final. */
export function isCutText({ contentType, unnamedText = '' }: MessageBlock, part: JsonObject): boolean {
  if (contentType !== part.type || unnamedText === '') return false
  return textOf(part) !== unnamedText && textOf(part).startsWith(unnamedText)
}

/** Returns the text of a content block. */
export function textOf({ text, thinking }: JsonObject): string {
  return asString(text) ?? asString(thinking) ?? ''
}
