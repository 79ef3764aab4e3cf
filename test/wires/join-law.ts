import { isDeepStrictEqual } from 'node:util'
import { asArray, asObject, isString, type JsonObject } from '../../src/core/json/values.ts'
import { isRewindMark } from '../../src/core/state/block.ts'
import type { SessionConversationState } from '../../src/entries/index.ts'
import type { Source } from '../../src/entries/source-kit.ts'
import { programOf } from '../../src/programs/all.ts'
import { cline } from '../../src/programs/cline/program.ts'
import { copilot } from '../../src/programs/copilot/program.ts'
import { kimi } from '../../src/programs/kimi/program.ts'
import { loadSession, saveSession } from '../../src/reading/save-session.ts'
import type { Session } from '../../src/reading/source.ts'
import { isDistinctive } from '../../src/wires/kit/resumed-text.ts'
import type { RecordedInput } from './inputs.ts'
import { stored } from './saved.ts'

/** The words, ids and statuses of all blocks, the turn, and the ends of agents. */
export function contentOf({ turn, blocks, subagents }: SessionConversationState): unknown {
  const threads = [{ blocks }, ...subagents].map((thread) =>
    thread.blocks.map((block) => [block.id, block.type, block.status, Reflect.get(block, 'content')]),
  )
  const agents = subagents.map(({ toolUseId, status, output }) => [toolUseId, status, output])
  return { status: turn.status, threads, agents }
}

/** Returns numbers of messages, spread over the whole recording. */
export function cutsOf({ messages }: Pick<RecordedInput, 'messages'>, count: number): readonly number[] {
  const { length } = messages
  const most = Math.min(count, length)
  return [...new Set(Array.from({ length: most }, (_, at) => Math.round(((at + 0.5) * length) / most)))]
}

/** Whether a message of the model streams between two blocks. The state does not show it, so the next texts come with their whole lines. */
function isBetweenBlocks({ messages }: Pick<RecordedInput, 'messages'>, cut: number): boolean {
  const before = messages.slice(0, cut).map((message) => JSON.stringify(message))
  const last = (part: string) => before.findLastIndex((text) => text.includes(part))
  const isStreaming = last('"message_start"') > last('"message_stop"')
  const block = last('"content_block_start"')
  const ends = ['"message_start"', '"content_block_stop"', '"type":"assistant"'].map(last)
  return isStreaming && ends.some((end) => block < end)
}

const MOST_CUTS = 6

/** The messages that come again after a reconnect. */
const REPEATED = 5

/**
 * Returns the first message that comes again. Deltas have no place of their own, so they come again from the start of their block. ACP has no such
 * starts: only the prompt of a turn shows that its chunks come again. Prompts of Qwen Code's client have no ids: they come again behind a line that has one.
 */
export function repeatedFrom(
  { architecture, messages }: Pick<RecordedInput, 'architecture' | 'messages'>,
  cut: number,
): number {
  const texts = messages.slice(0, cut).map((message) => JSON.stringify(message))
  // Lines of text have no ids. Only the head of their chat shows that they come again.
  if (architecture === 'aider') return 0
  // `codex exec` numbers the items of each process from 0, so an item that comes again would be a new one.
  if (texts.some((text) => text.startsWith('{"type":"thread.started"'))) return cut
  if (architecture === 'acp') {
    const prompt = texts.findLastIndex((text) => /"session\/prompt"/.test(text))
    return prompt < 0 ? cut : prompt
  }
  const first = Math.max(0, cut - REPEATED)
  if (architecture === 'kimi' && messages.slice(first, cut).some(isShortAnswer)) return cut
  const isDelta = (text: string) => /"[\w./]*delta"/i.test(text)
  if (architecture === 'qwen' && texts.slice(first).some((text) => /"type":"user"/.test(text))) {
    const named = texts.findIndex((text, at) => at >= first && /"uuid":/.test(text))
    return named < 0 ? cut : named
  }
  const from = isDelta(texts[first] ?? '')
    ? texts.slice(0, first).findLastIndex((text) => !isDelta(text))
    : first
  return architecture === 'codex' ? fromStartsOfItems(texts, from) : from
}

/** Returns the start of the first item that has a delta from there on: several threads stream at once. */
function fromStartsOfItems(texts: readonly string[], first: number): number {
  const ids = texts.slice(first).flatMap((text) => /\/delta".*("itemId":"[^"]+")/i.exec(text)?.[1] ?? [])
  const starts = ids.map((id) => texts.findIndex((text) => text.includes(id.replace('itemId', 'id'))))
  const start = Math.min(first, ...starts.filter((at) => at >= 0))
  return start === first ? first : fromStartsOfItems(texts, start)
}

/** Whether a line of `kimi -p` has a text that nothing shows to come again: it has no id and no call, and its words are few (docs/formats.md). */
function isShortAnswer(message: unknown): boolean {
  const { role, content, tool_calls } = asObject(message)
  return role === 'assistant' && isString(content) && tool_calls === undefined && !isDistinctive(content)
}

/**
 * Returns where a recording breaks the laws Save and Join: the session before a cut goes on with the rest, as it is, saved and loaded, or opened
 * from its state alone, and the last messages may come again. The table of docs/reopening.md has the only exceptions.
 */
export function wrongJoins(input: RecordedInput, count: number = MOST_CUTS): readonly string[] {
  const { source, messages, architecture } = input
  const { state } = source.read(source.open(), messages).session
  const whole = contentOf(state)
  return cutsOf({ messages }, count).flatMap((cut) => {
    const { session } = source.read(source.open(), messages.slice(0, cut))
    const goesOn = (from: Session, at: number) =>
      isDeepStrictEqual(contentOf(source.read(from, messages.slice(at)).session.state), whole)
    const loaded = loadSession(source, stored(saveSession(session)))
    const opened = source.open(session.state)
    const again = repeatedFrom(input, cut)
    const hasPlace =
      !goesBack(state, messages, cut) && (architecture !== 'pi' || !goesBackInTree(messages, cut))
    const isExact = hasAllInState(input, session, cut) && hasPlace
    const isExactAgain =
      isExact &&
      !hasIdsOfPieces(session) &&
      hasAllInState(input, source.read(source.open(), messages.slice(0, again)).session, again)
    // The chunks of ACP have no ids. Where no session knows that they come again, one from a state does not either.
    const keepsRepeated = goesOn(session, again)
    const knowsRepeated = architecture !== 'acp' || keepsRepeated
    const laws: readonly (readonly [name: string, holds: boolean])[] = [
      ['a saved session', goesOn(loaded, cut)],
      ['a reader whose last messages come again', !knowsRepeated || keepsRepeated],
      ['a saved session whose last messages come again', !knowsRepeated || goesOn(loaded, again)],
      ['the state alone', !isExact || goesOn(opened, cut)],
      [
        'the state alone, and the last messages come again',
        !isExactAgain || !keepsRepeated || goesOn(opened, again),
      ],
    ]
    return laws.flatMap(([name, holds]) => (holds ? [] : [`${name}, cut ${cut} of ${messages.length}`]))
  })
}

/** The notes of the table in docs/reopening.md: messages that wait for a later one, and ids that no block has. A state alone lacks them. */
const NOT_IN_STATE: readonly string[] = [
  // Claude Code: messages in the queue, lines of an agent whose call is not known, lines of a first turn out of order
  'queue',
  'buffered',
  'earlyLines',
  // Claude Code: the end of a turn that the program keeps back until its agents have ended
  'owesResult',
  // Copilot: attachments of the next prompt
  'assets',
  // Codex: entries and reports of a rollout, threads that are not known, requests to take turns back, threads before a fork, reviews,
  // and processes of commands that go on
  'bufferedEntries',
  'bufferedReports',
  'bufferedCompactions',
  'earlyMessages',
  'rewinds',
  'lastRevert',
  'earlierMainIds',
  'isInReview',
  'commands',
  // Qwen Code: the fork that a stream goes on with
  'forkId',
  // ACP: prompts that wait for the turn before them
  'queuedPrompts',
  // Cline: calls that are announced, teammates, and replies without an agent
  'announced',
  'launched',
  'unplaced',
]

/** Whether a text streams of Qwen Code, or the session knows pieces of an agent's text. No block names pieces, so repeated ones come twice (docs/reopening.md). */
function hasIdsOfPieces(session: Session): boolean {
  const { source, notes } = asObject(stored(saveSession(session)))
  const { lastPieces, openTexts } = asObject(notes)
  return source === 'qwen' && (lastPieces !== undefined || openTexts !== undefined)
}

/** Whether the state alone has all that the rest of the messages needs. */
export function hasAllInState(
  { source, messages }: Pick<RecordedInput, 'source' | 'messages'>,
  session: Session,
  cut: number,
): boolean {
  const notes = asObject(asObject(stored(saveSession(session))).notes)
  if (NOT_IN_STATE.some((name) => notes[name] !== undefined)) return false
  if (WITHOUT_IDS.has(programOf(session.state.session.program)) && isReplay(notes)) return false
  // Qwen Code: that the terminal printed the prompt of the running turn, whose end no line reports
  if (notes.isTerminal !== undefined && session.state.turn.status === 'running') return false
  // Qwen Code: a turn whose prompt the stream lacks, before its first block
  const isBeforeBlocks = notes.isFresh !== undefined || notes.pendingTurn !== undefined
  if (isBeforeBlocks && session.state.blocks.at(-1)?.type !== 'user_message') return false
  return (
    !waits(source, session) && !isBetweenBlocks({ messages }, cut) && !isBeforeText(messages.slice(0, cut))
  )
}

/** The programs whose texts have no ids over ACP. So only the request to load a session shows that they come again. */
const WITHOUT_IDS: ReadonlySet<unknown> = new Set([kimi, copilot, cline])

/** Whether a request to load a session has no response yet. */
function isReplay({ loadId }: JsonObject): boolean {
  return loadId !== undefined
}

/** Kimi Code: whether a request to the model has begun that has no text or call yet. No block has its id. */
function isBeforeText(messages: readonly unknown[]): boolean {
  const open = new Set<unknown>()
  for (const message of messages) {
    const { msg } = asObject(message)
    const { type, agentId } = asObject(asObject(msg ?? message).payload)
    if (type === 'turn.step.started') open.add(agentId)
    else if (/\.delta$|^tool\.call|^turn\.step/.test(String(type))) open.delete(agentId)
  }
  return open.size > 0
}

/** Whether a message waits for a later one: the end of the input would show it. */
function waits(source: Source, session: Session): boolean {
  const ids = ({ blocks, subagents }: SessionConversationState) =>
    [{ blocks }, ...subagents].map((thread) => thread.blocks.map(({ id }) => id))
  return !isDeepStrictEqual(ids(source.end(session).session.state), ids(session.state))
}

/** Whether the person goes back behind the cut, and a later message names the place by a line or a turn. No block has their ids. */
function goesBack(
  { blocks, branches = [] }: SessionConversationState,
  messages: readonly unknown[],
  cut: number,
): boolean {
  const [before, after] = [messages.slice(0, cut), messages.slice(cut)].map((part) => JSON.stringify(part))
  if (/"beforeTurnId"|"history_base"/.test(after ?? '')) return true
  if (goesBackToPrompt(messages, cut)) return true
  const marks = [blocks, ...branches.map((branch) => branch.blocks)].flat().filter(isRewindMark)
  return marks.some(({ id, data }) => {
    const { to, blockIds } = asObject(data)
    const isLater = after?.includes(`"uuid":"${id.slice('rewind:'.length)}"`) === true
    return (
      isLater && to !== null && asArray(blockIds).some((blockId) => before?.includes(`"uuid":"${blockId}"`))
    )
  })
}

/** Whether an entry in a file of Pi hangs on one before the cut, and not on the entry just before it. */
function goesBackInTree(messages: readonly unknown[], cut: number): boolean {
  const lines = messages.map(asObject)
  const entries = new Set(
    lines.slice(0, cut).flatMap(({ id, parentId }) => (parentId === undefined ? [] : [id])),
  )
  return lines.some(
    ({ parentId }, at) => at >= cut && entries.has(parentId) && lines[at - 1]?.id !== parentId,
  )
}

/** Whether a chat of Gemini CLI goes back to a prompt before the cut. */
function goesBackToPrompt(messages: readonly unknown[], cut: number): boolean {
  const prompts = messages.slice(0, cut).flatMap((message) => {
    const { type, id } = asObject(message)
    return type === 'user' ? [id] : []
  })
  return messages.slice(cut).some((message) => prompts.includes(asObject(message).$rewindTo ?? ''))
}
