import { isEqual } from '../../core/json/equal.ts'
import { omitUndefined } from '../../core/json/fields.ts'
import { asObject, asString, isString, type JsonObject } from '../../core/json/values.ts'
import {
  type ConversationBlock,
  isModelText,
  messageIdOf,
  toolResultBlockId,
} from '../../core/state/block.ts'
import { MAIN, type TokenUsage } from '../../core/state/session.ts'
import { launchedIdIn } from '../../programs/qwen/tool-result.ts'
import type { Memory } from '../../reading/context.ts'
import type { SessionLookups } from '../../reading/lookups.ts'
import { bufferedItems, PersistentMap } from '../../reading/notes/persistent-map.ts'
import { foregroundAgent } from './agents.ts'
import { type LiveLine, readLiveLine, resultsIn, usageOf } from './messages.ts'
import type { QwenContext, QwenNotes } from './notes.ts'
import { COMPRESSED, isApiError, typeOf } from './text.ts'
import { contentOfMessage, isCommand } from './turn.ts'

// A reader has the files, and joins the stream. Apart from calls, neither side has ids or times of the other. So a
// line counts as known if the session has its words, with the tokens of its reply. A line that could be both waits
// for the next one that shows which: a call, a result, or the tokens of a reply.

type LineOf<Type extends LiveLine['type']> = Extract<LiveLine, { readonly type: Type }>

/** Whether the session has the content of a line. If it is `unclear`, a later line shows it. */
type Verdict = 'known' | 'new' | 'unclear'

/** Whether the session has content from elsewhere, and no line of the stream so far has added to it. */
export function isCatchingUp(memory: Memory<QwenContext>): boolean {
  const { behind, lastLine } = memory.notes.values
  if (behind) return true
  if (lastLine !== undefined || memory.notes.values.openTexts.get(MAIN)) return false
  return memory.state.blocksOf(MAIN).length > 0
}

/** Returns the lines that the session goes on with: none while they repeat its content, or else those that have waited, and this one. */
export function newLines(
  value: JsonObject,
  line: LiveLine,
  memory: Memory<QwenContext>,
): readonly LiveLine[] {
  const { held, text } = behindOf(memory.notes.values)
  const verdict = verdictOn(line, memory)
  const { at, place } = behindOf(memory.notes.values)
  if (line.type === 'result' && endsTurn(line, memory)) {
    memory.notes.remember({ behind: { at, text: '' } })
    return [line]
  }
  // The files may lack an agent.
  if (verdict === 'new' && line.parentId !== undefined) {
    memory.notes.remember({ behind: omitUndefined({ at, held, text }) })
    return [line]
  }
  if (verdict === 'new') {
    const waiting = unknownLines(bufferedItems(held), memory)
    memory.notes.remember({ behind: undefined, behindAgents: new PersistentMap() })
    return [...waiting, line]
  }
  const isOver = verdict === 'known' || line.type === 'assistant' || line.type === 'text-start'
  const built = line.type === 'delta' ? text + line.text : text
  const waiting = verdict === 'known' ? undefined : { item: value, before: held }
  const goesOn = isOver ? { text: '' } : { text: built, place }
  memory.notes.remember({ behind: omitUndefined({ at, held: waiting, ...goesOn }) })
  return []
}

/** Forgets prompts of the client that have come again: a line behind them is a repeated one. They have no ids. */
export function forgetSentPrompts(notes: QwenContext['notes']): void {
  const { behind } = notes.values
  if (!behind) return
  let { held } = behind
  while (held && hasNoId(held.item)) held = held.before
  notes.remember({ behind: omitUndefined({ ...behind, held }) })
}

function hasNoId(value: unknown): boolean {
  const line = readLiveLine(asObject(value))
  return line?.type === 'init' || line?.uuid === undefined
}

/** Returns the lines that have waited, without those that the session ends with. */
function unknownLines(held: readonly unknown[], memory: Memory<QwenContext>): readonly LiveLine[] {
  const lines = held.flatMap((value) => readLiveLine(asObject(value)) ?? [])
  return lines.slice(lines.findLastIndex((line) => isLast(line, memory)) + 1)
}

/** Whether the session ends with the content of the line. */
function isLast(line: LiveLine, memory: Memory<QwenContext>): boolean {
  if (line.parentId !== undefined) return false
  if (line.type === 'assistant') return memory.notes.values.behind?.at !== undefined && isAtEnd(memory)
  const last = memory.state.blocksOf(MAIN).at(-1)
  return line.type === 'user' && last !== undefined && isPrompt(last, line.content)
}

/** Whether nothing that a line could repeat stands behind the last known block of main. */
function isAtEnd(memory: Memory<QwenContext>): boolean {
  return !memory.state.blocksOf(MAIN).slice(behindOf(memory.notes.values).at).some(isRepeatable)
}

function isRepeatable({ type }: ConversationBlock): boolean {
  return type !== 'system' && type !== 'tool_result' && type !== 'request' && type !== 'error'
}

function verdictOn(line: LiveLine, memory: Memory<QwenContext>): Verdict {
  switch (line.type) {
    case 'delta':
      return verdictOnPiece(line, memory)
    case 'assistant':
      return verdictOnReply(line, memory)
    case 'user':
      return verdictOnMessage(line, memory)
    case 'result':
      return 'known'
    case 'task-started':
      return knownIf(memory.state.agentOfCall(line.toolUseId)?.agentId !== undefined)
    case 'task-ended':
      return knownIf(memory.state.hasEnded(line.toolUseId))
    case 'request':
      return knownIf(hasResult(asString(line.request.tool_use_id) ?? '', '', memory))
    case 'answer':
      return knownIf(!isWaiting(line.id, memory.state))
    default:
      return 'unclear'
  }
}

/** Whether the session has the request, and no answer to it. */
function isWaiting(requestId: string, state: SessionLookups): boolean {
  const conversationId = state.conversationOfBlock(requestId)
  return conversationId !== undefined && state.isOpen(conversationId, requestId)
}

function knownIf(isKnown: boolean): Verdict {
  return isKnown ? 'known' : 'new'
}

/** A piece of a text that the session does not have shows the text as it comes. */
function verdictOnPiece(line: LineOf<'delta'>, memory: Memory<QwenContext>): Verdict {
  if (goOnInText(line, memory)) return 'unclear'
  return isNote(behindOf(memory.notes.values).text + line.text) ? 'unclear' : 'new'
}

function isNote(words: string): boolean {
  return ['[API Error: ', 'Context compressed ('].some(
    (note) => note.startsWith(words) || words.startsWith(note),
  )
}

/** The call of a reply, or its tokens, show whether it is known. A text without them may be another one with the same words. */
function verdictOnReply(
  { parentId, content, usage }: LineOf<'assistant'>,
  memory: Memory<QwenContext>,
): Verdict {
  const tokens = usageOf(usage)
  let verdict: Verdict = 'unclear'
  for (const value of content) {
    const { type, id, text, thinking } = asObject(value)
    const words = type === 'thinking' ? thinking : text
    if (type === 'tool_use' && isString(id)) {
      verdict = knownIf(goBehind(parentId, (block) => 'toolUseId' in block && block.toolUseId === id, memory))
    } else if (isString(words) && words !== '') {
      const isThought = type === 'thinking'
      const fits = (block: ConversationBlock) =>
        isText(block, words, isThought, tokens, parentId, memory.state)
      if (!goBehind(parentId, fits, memory)) return 'new'
      if (tokens) verdict = 'known'
    }
  }
  return verdict
}

function isText(
  block: ConversationBlock,
  words: string,
  isThought: boolean,
  tokens: TokenUsage | undefined,
  parentId: string | undefined,
  state: SessionLookups,
): boolean {
  if (isApiError(words)) return block.type === 'error'
  if (COMPRESSED.test(words)) return block.type === 'system' && block.subtype === 'compaction'
  // After a connection that broke, the line has the words of the attempt before too.
  if (block.type !== typeOf(isThought) || !words.endsWith(block.content)) return false
  if (!tokens) return block.content === words
  const known = state.usageOf(parentId ?? MAIN, messageIdOf(block) ?? '')
  return (
    known !== undefined &&
    known.inputTokens === tokens.inputTokens &&
    known.outputTokens === tokens.outputTokens &&
    known.cacheReadTokens === tokens.cacheReadTokens
  )
}

/** The prompt of an agent is known by its words. One of the person may be another one with the same words. */
function verdictOnMessage({ parentId, content }: LineOf<'user'>, memory: Memory<QwenContext>): Verdict {
  const results = resultsIn(content)
  if (results.length > 0)
    return knownIf(
      results.every(({ tool_use_id, content }) =>
        hasResult(asString(tool_use_id) ?? '', asString(content) ?? '', memory),
      ),
    )
  const words = contentOfMessage(content)
  // A command is in no file.
  if (parentId === undefined && isCommand(words)) return 'unclear'
  const isKnown = goBehind(parentId, (block) => isPrompt(block, content), memory)
  return isKnown && parentId === undefined ? 'unclear' : knownIf(isKnown)
}

function isPrompt(block: ConversationBlock, content: unknown): boolean {
  return block.type === 'user_message' && isEqual(block.content, contentOfMessage(content))
}

/** An agent in the background has its result when it starts. */
function hasResult(toolUseId: string, output: string, memory: Memory<QwenContext>): boolean {
  const agent = memory.state.agentOfCall(toolUseId)
  const launchedId = launchedIdIn(output)
  if (agent && launchedId !== undefined) {
    memory.notes.setEntry('background', toolUseId, true)
    return agent.agentId === launchedId
  }
  if (agent) return memory.state.hasEnded(toolUseId)
  const conversationId = memory.state.conversationOfCall(toolUseId) ?? MAIN
  const id = toolResultBlockId(toolUseId)
  return memory.state.findBlock(conversationId, id) !== undefined && !memory.state.isOpen(conversationId, id)
}

/** Whether the line ends the turn that the session ends with, or an agent of that turn. */
function endsTurn({ error, turns, text }: LineOf<'result'>, memory: Memory<QwenContext>): boolean {
  if (error !== undefined && turns === 0 && foregroundAgent(memory) !== undefined) return true
  const { status, openBlocks } = memory.state.turn
  if (status !== 'running' && openBlocks === undefined) return false
  if (error !== undefined) return memory.notes.values.answer?.outcome !== 'finished' && isAtEnd(memory)
  const last = memory.state.blocksOf(MAIN).findLast((block) => block.type === 'assistant_text')
  return last?.content === text && text !== undefined
}

// The stream repeats the session in its order. So a search goes on behind the last block that has come, and a text
// behind its last piece. A search that began at the start of the session would make a long stream behind a large file
// slow.

type Behind = NonNullable<QwenNotes['behind']>

const START: Behind = { at: 0, text: '' }

/** Returns how far the stream has repeated the session. */
function behindOf(notes: QwenContext['notes']['values']): Behind {
  return notes.behind ?? START
}

type Fits = (block: ConversationBlock) => boolean

/** Finds a block of the session, and goes on behind it. A block of main in front of the last known one, or in a branch, is found, too. */
function goBehind(parentId: string | undefined, fits: Fits, memory: Memory<QwenContext>): boolean {
  const from = nextPlace(parentId, memory.notes.values)
  const at = placeFrom(from, memory.state.blocksOf(parentId ?? MAIN), fits)
  if (at === undefined) return isElsewhere(parentId, from, fits, memory)
  if (parentId === undefined)
    memory.notes.remember({ behind: { ...behindOf(memory.notes.values), at: at + 1 } })
  else memory.notes.setEntry('behindAgents', parentId, at + 1)
  return true
}

function nextPlace(parentId: string | undefined, notes: QwenContext['notes']['values']): number {
  return parentId === undefined ? behindOf(notes).at : (notes.behindAgents.get(parentId) ?? 0)
}

function placeFrom(from: number, blocks: readonly ConversationBlock[], fits: Fits): number | undefined {
  for (let place = from; place < blocks.length; place += 1) {
    const block = blocks[place]
    if (block && fits(block)) return place
  }
  return undefined
}

function isElsewhere(
  parentId: string | undefined,
  before: number,
  fits: Fits,
  memory: Memory<QwenContext>,
): boolean {
  const {
    state: { branches },
  } = memory
  return (
    memory.state
      .blocksOf(parentId ?? MAIN)
      .slice(0, before)
      .some(fits) || branches.some(({ blocks }) => blocks.some(fits))
  )
}

/** Whether the session has the text that a piece goes on with. It notes the place of the text. */
function goOnInText(
  { parentId, text: piece, isThought }: Extract<LiveLine, { readonly type: 'delta' }>,
  memory: Memory<QwenContext>,
): boolean {
  const behind = behindOf(memory.notes.values)
  const known = behind.place?.parentId === parentId ? behind.place : undefined
  const blocks = memory.state.blocksOf(parentId ?? MAIN)
  const textIn = (block: ConversationBlock | undefined) =>
    block?.type === typeOf(isThought) && isModelText(block) ? block.content : undefined
  if (known && textIn(blocks[known.block])?.startsWith(piece, known.offset + behind.text.length)) return true
  const words = behind.text + piece
  const first = known?.block ?? nextPlace(parentId, memory.notes.values)
  for (let at = first; at < blocks.length; at += 1) {
    const offset = textIn(blocks[at])?.indexOf(words, at === known?.block ? known.offset : 0) ?? -1
    if (offset < 0) continue
    memory.notes.remember({ behind: { ...behind, place: omitUndefined({ block: at, offset, parentId }) } })
    return true
  }
  return isElsewhere(parentId, first, (block) => textIn(block)?.includes(words) === true, memory)
}
