import { basename } from 'node:path'
import { asArray, assertNever, isObject } from '../../core/json/values.ts'
import type { ConversationBlock } from '../../core/state/block.ts'
import { type ConversationThread, MAIN, type SessionConversationState } from '../../core/state/session.ts'
import type { SessionSummary } from '../../node/list/session-summary.ts'
import { textOf } from '../../sinks/markdown/message.ts'
import { relativeTime, titleOf } from '../list/summary-text.ts'
import type { Paint } from '../terminal/style.ts'
import { oneLine, partOfLine } from '../terminal/text.ts'
import { cut, widthOf } from '../terminal/wrap.ts'
import type { SearchPattern } from './pattern.ts'

/** What the text of a match is. */
type MatchKind = 'title' | 'prompt' | 'note' | 'answer' | 'tool' | 'output' | 'agent' | 'error'

/** A place in a session that contains the text. */
export interface SearchMatch {
  readonly kind: MatchKind
  /** `'main'` or the `toolUseId` of an agent. */
  readonly conversationId: string
  /** The name or the description of the agent. Absent for main. */
  readonly agent?: string
  readonly blockId?: string
  readonly timestamp?: string
  /** The text before the match, the match and the text after it, on one line. */
  readonly context: readonly [before: string, match: string, after: string]
}

/** Yields the matches of a session: main's first, then those of its agents. A block has at most one match for each of its texts. */
export function* findMatches(
  { title, state }: { readonly title: string | undefined; readonly state: SessionConversationState },
  { expression }: SearchPattern,
): Generator<SearchMatch, void> {
  const titleContext = contextOf(title ?? '', expression)
  if (titleContext) yield { kind: 'title', conversationId: MAIN, context: titleContext }
  yield* threadMatches(state, { conversationId: MAIN, expression })
  for (const agent of state.subagents) {
    const { toolUseId: conversationId, name = '', description = '' } = agent
    const facts = { conversationId, agent: description || name || conversationId }
    const context = contextOf(`${name} ${description}`, expression)
    if (context) yield { kind: 'agent', ...facts, context }
    yield* threadMatches(agent, { ...facts, expression })
  }
}

function* threadMatches(
  { blocks }: ConversationThread,
  {
    expression,
    ...facts
  }: { readonly conversationId: string; readonly agent?: string; readonly expression: RegExp },
): Generator<SearchMatch, void> {
  for (const block of blocks)
    for (const [kind, text] of textsOf(block)) {
      const context = contextOf(text, expression)
      if (!context) continue
      const time = block.timestamp === undefined ? {} : { timestamp: block.timestamp }
      yield { kind, ...facts, blockId: block.id, ...time, context }
    }
}

/** Returns the texts of a block that people search for. */
function textsOf(block: ConversationBlock): readonly (readonly [MatchKind, string])[] {
  switch (block.type) {
    case 'user_message':
      return [[block.origin === undefined ? 'prompt' : 'note', textOf(block.content)]]
    case 'assistant_text':
      return [['answer', block.content]]
    case 'tool_use':
      return [['tool', [block.toolName, ...stringsIn(block.input)].join(' ')]]
    case 'tool_result':
      return [['output', stringsIn(block.output).join(' ')]]
    case 'request':
      return [['tool', block.title]]
    case 'subagent':
      return [['agent', [block.name, block.description, block.input].filter(Boolean).join(' ')]]
    case 'error':
      return [['error', block.message]]
    case 'thinking':
    case 'system':
    case 'skill_load':
      return []
    default:
      return assertNever(block)
  }
}

/** Deeper values are not searched. */
const MAX_DEPTH = 8

/** Returns the texts in a JSON value. */
function stringsIn(value: unknown, depth: number = 0): readonly string[] {
  if (typeof value === 'string') return [value]
  if (depth >= MAX_DEPTH) return []
  const items = isObject(value) ? Object.values(value) : asArray(value)
  return items.flatMap((item) => stringsIn(item, depth + 1))
}

/** The text before and after a match, in UTF-16 units. */
const BEFORE = 40
const AFTER = 160

function contextOf(text: string, expression: RegExp): SearchMatch['context'] | undefined {
  const found = expression.exec(text)
  if (!found) return undefined
  const [match] = found
  const end = found.index + match.length
  const start = Math.max(0, found.index - BEFORE)
  // A cut never leaves half of a character.
  const before = (start > 0 ? '…' : '') + text.slice(start, found.index).replace(/^[\udc00-\udfff]/, '')
  const after = text.slice(end, end + AFTER).replace(/[\ud800-\udbff]$/, '')
  return [before, match, after]
}

/** Returns a line about a session with matches. */
export function sessionLine(
  session: SessionSummary,
  { paint, columns, now }: { readonly paint: Paint; readonly columns: number; readonly now: number },
): string {
  const facts = [
    relativeTime(session.updatedAt, now),
    oneLine(basename(session.cwd ?? '')),
    oneLine(session.id),
  ]
  const known = facts.filter((fact) => fact !== '').join(' · ')
  // The id is what `agentfold show` takes, so it stays whole.
  const title = cut(titleOf(session), Math.max(20, columns - widthOf(known) - 3))
  return `${paint(title, 'bold')} ${paint(`· ${known}`, 'dim')}`
}

/** Returns a line with the place of a match, and the match in its context. */
export function matchLine(
  { kind, agent, timestamp, context }: SearchMatch,
  { paint, columns }: { readonly paint: Paint; readonly columns: number },
): string {
  const time = timestamp === undefined ? '' : timestamp.slice(0, 16).replace('T', ' ')
  const place = [oneLine(time), agent === undefined ? 'main' : cut(oneLine(agent), MAX_AGENT), kind]
  const label = `  ${place.filter((part) => part !== '').join(' ')}: `
  const match = partOfLine(context[1])
  const space = Math.max(20, columns - widthOf(label) - widthOf(match))
  const left = startCut(partOfLine(context[0]), Math.floor(space / 3))
  const right = cut(partOfLine(context[2]), Math.max(1, space - widthOf(left)))
  return `${paint(label, 'dim')}${left}${paint(match, 'yellow', 'bold')}${right}`
}

const MAX_AGENT = 24

/** Cuts a text at its start. */
function startCut(text: string, width: number): string {
  if (widthOf(text) <= width) return text
  const characters = [...text]
  while (characters.length > 0 && widthOf(characters.join('')) > width - 1) characters.shift()
  return `…${characters.join('')}`
}
