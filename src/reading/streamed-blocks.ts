import { addToList } from '../core/json/lists.ts'
import {
  type BlockOf,
  type ConversationBlock,
  isCall,
  isModelText,
  isPending,
  isPrompt,
  messageIdOf,
  toolResultBlockId,
} from '../core/state/block.ts'

/** The blocks of a conversation that a stream has, and the files have not. */
export interface ThreadComparison {
  /** The blocks behind those of the files, in the stream's order. */
  readonly kept: readonly ConversationBlock[]
  /** Requests that are over, each with the block of the files that it follows. */
  readonly requests: readonly { readonly after: string; readonly block: BlockOf<'request'> }[]
  /** Whether the files have work of the model that the stream has not shown: the stream is behind them. */
  readonly isBehind: boolean
}

/** The facts beside the two conversations. */
interface ComparisonFacts {
  /** The blocks that the person has taken back. */
  readonly abandoned: readonly ConversationBlock[]
  /** Whether both are of the session with one id. */
  readonly isOneSession: boolean
}

/** Compares a conversation of the files with that of a stream. */
export function compareThreads(
  file: readonly ConversationBlock[],
  streamed: readonly ConversationBlock[],
  { abandoned, isOneSession }: ComparisonFacts,
): ThreadComparison {
  const { known, unseen, hasCommon } = align(file, streamed)
  // The files of the session may have no more than the prompt yet.
  const isJoined = hasCommon || (isOneSession && !file.some(isWork))
  const isBehind = isJoined && (unseen.some(isWork) || unseen.filter(isPrompt).length > 1)
  const last = streamed.findLastIndex(({ id }) => known.has(id))
  const ids = new Set(file.map(({ id }) => id))
  const gone = new Set(abandoned.map(wordsOrId))
  const place = { isJoined, isBehind, hasPrompt: unseen.some(isPrompt) }
  const tail = streamed.slice(last + 1).filter((block) => {
    if (block.type === 'request' || gone.has(wordsOrId(block))) return false
    return !ids.has(block.id) && isKept(block, place)
  })
  const { over, open } = requestsOf(file, streamed, known)
  return {
    kept: isBehind
      ? open.filter(({ toolUseId }) => toolUseId !== undefined)
      : inOrder(streamed, [...tail, ...open]),
    requests: over,
    isBehind,
  }
}

function inOrder(
  streamed: readonly ConversationBlock[],
  blocks: readonly ConversationBlock[],
): readonly ConversationBlock[] {
  const kept = new Set(blocks)
  return streamed.filter((block) => kept.has(block))
}

interface Alignment {
  /** By the id of a block of the stream: the block of the files that it is. */
  readonly known: ReadonlyMap<string, ConversationBlock>
  /** The blocks of the files behind the last one that the stream has. */
  readonly unseen: readonly ConversationBlock[]
  /** Whether both have a block. */
  readonly hasCommon: boolean
}

/** Finds the blocks of the stream in the files: by id, or as the next ones with the same words. */
function align(file: readonly ConversationBlock[], streamed: readonly ConversationBlock[]): Alignment {
  const byId = new Map(file.map((block, at) => [block.id, at]))
  const byWords = new Map<string, number[]>()
  for (const [at, block] of file.entries()) addToList(byWords, wordsOf(block), at)
  const known = new Map<string, ConversationBlock>()
  const taken = new Set<number>()
  const firstText = streamed.find(isModelText)
  let end = 0
  for (const block of streamed) {
    const at = placeOf(block)
    const found = at === undefined ? undefined : file[at]
    if (at === undefined || !found) continue
    known.set(block.id, found)
    taken.add(at)
    // A result may have any place.
    if (block.type !== 'tool_result') end = Math.max(end, at + 1)
  }
  const unseen = file.slice(end).filter((_, at) => !taken.has(end + at))
  return { known, unseen, hasCommon: taken.size > 0 }

  function placeOf(block: ConversationBlock): number | undefined {
    const own = byId.get(block.id)
    const same = own === undefined ? undefined : file[own]
    if (own !== undefined && same && !taken.has(own) && isSame(same, block)) return own
    if (!hasWords(block)) return undefined
    const isFree = (at: number) => at >= end && !taken.has(at)
    const whole = byWords.get(wordsOf(block))?.find(isFree)
    const isPart = isModelText(block) && (isPending(block) || block === firstText)
    if (whole !== undefined || !isPart) return whole
    // A text that the stream has in part: the last one, or the one in whose middle it was joined. The files have it when it is whole.
    const at = file.findIndex(
      (each, index) => isFree(index) && !isOfOther(block, each) && isPartOf(block, each),
    )
    return at < 0 ? undefined : at
  }
}

/** Whether the blocks with one id are one block. Ids that the place makes may differ from form to form. */
function isSame(file: ConversationBlock, streamed: ConversationBlock): boolean {
  if (file.type !== streamed.type) return false
  if (!hasWords(streamed)) return true
  return wordsOf(file) === wordsOf(streamed) || isPartOf(streamed, file)
}

/** A stream that is joined in the middle of a text has its end. */
function isPartOf(part: ConversationBlock, whole: ConversationBlock): boolean {
  if (!isModelText(part) || !isModelText(whole) || part.type !== whole.type) return false
  const text = part.content.trim()
  if (text === '') return isPending(part) && whole.content.trim() === ''
  return isPending(part) ? whole.content.includes(text) : whole.content.trim().endsWith(text)
}

/** Whether both name their messages, and they are two. */
function isOfOther(left: ConversationBlock, right: ConversationBlock): boolean {
  const [one, other] = [messageIdOf(left), messageIdOf(right)]
  return one !== undefined && other !== undefined && one !== other
}

function hasWords(block: ConversationBlock): boolean {
  return isModelText(block) || block.type === 'user_message' || block.type === 'error'
}

function wordsOrId(block: ConversationBlock): string {
  return hasWords(block) ? wordsOf(block) : block.id
}

function wordsOf(block: ConversationBlock): string {
  if (isModelText(block)) return `${block.type} ${block.content.trim()}`
  if (block.type === 'user_message') return `${block.type} ${JSON.stringify(block.content)}`
  return block.type === 'error' ? `${block.type} ${block.message}` : block.type
}

/** Whether the block is work of the model. A result may have any place. */
function isWork(block: ConversationBlock): boolean {
  return isModelText(block) || isCall(block)
}

interface Place {
  readonly isJoined: boolean
  readonly isBehind: boolean
  /** The files have a prompt behind the last common block. */
  readonly hasPrompt: boolean
}

/** Whether a block of the stream stays that the files have not. Without a common block, only what is still open. */
function isKept(block: ConversationBlock, { isJoined, isBehind, hasPrompt }: Place): boolean {
  if (isBehind || block.type === 'system') return false
  if (isPrompt(block) && hasPrompt) return false
  return isJoined || isPending(block)
}

/** Returns the requests that the files have not: those that are over, and those that are open. */
function requestsOf(
  file: readonly ConversationBlock[],
  streamed: readonly ConversationBlock[],
  known: Alignment['known'],
): { readonly over: ThreadComparison['requests']; readonly open: readonly BlockOf<'request'>[] } {
  const ids = new Set(file.map(({ id }) => id))
  const asked = new Set(file.flatMap((block) => (block.type === 'request' ? (block.toolUseId ?? []) : [])))
  const over: { after: string; block: BlockOf<'request'> }[] = []
  const open: BlockOf<'request'>[] = []
  let after: string | undefined
  for (const block of streamed) {
    after = known.get(block.id)?.id ?? after
    if (block.type !== 'request' || ids.has(block.id)) continue
    const { toolUseId } = block
    if (toolUseId !== undefined && asked.has(toolUseId)) continue
    const call = toolUseId === undefined ? undefined : known.get(toolUseId)?.id
    if (block.status !== 'pending') over.push({ after: call ?? after ?? '', block })
    else if (toolUseId === undefined || !ids.has(toolResultBlockId(toolUseId))) open.push(block)
  }
  return { over, open }
}
