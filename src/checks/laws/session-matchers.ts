import { isObject } from '../../core/json/values.ts'
import { fileChanges } from '../../core/selectors/file-changes.ts'
import { sessionStatus } from '../../core/selectors/status.ts'
import type { BlockOf, ConversationBlock } from '../../core/state/block.ts'
import { withSlashes } from '../../core/state/file-change.ts'
import { MAIN, type SessionConversationState } from '../../core/state/session.ts'
import { isAgentTool } from '../../programs/all.ts'

/** The part of a session that a matcher looks at. */
export interface MatcherPlace {
  /**
   * `'main'`, or the name, the `toolUseId` or the `agentId` of an agent. Agents of one name count together. The
   * default is every conversation.
   */
  readonly in?: string
}

/** What `toHaveCalled` expects. */
export interface CallExpectation extends MatcherPlace {
  /** The number of calls. The default is one or more. */
  readonly times?: number
}

/** The matchers of a session's state. */
export interface SessionMatchers<Result> {
  /** The model called the tool. A call that starts an agent counts for every tool that does so. */
  toHaveCalled(tool: string, expectation?: CallExpectation): Result
  /** The last turn ended by itself, and no agent runs. If there is a place, its agents have succeeded. */
  toHaveFinished(place?: MatcherPlace): Result
  /** A tool changed the file. A path may be the end of the whole path. */
  toHaveChanged(path: string, place?: MatcherPlace): Result
  /** The program asked the person something whose title contains the words. Stored files do not hold permissions that were given. */
  toHaveAsked(words?: string | RegExp, place?: MatcherPlace): Result
}

/** The result of a matcher, as Vitest and Jest take it. */
export interface MatcherResult {
  readonly pass: boolean
  readonly message: () => string
}

declare global {
  // Vitest reads the matchers of this namespace too.
  namespace jest {
    interface Matchers<R, T> extends SessionMatchers<Assert<R, T>> {}
  }
}

type Assert<R, T> = T extends never ? R : R

/**
 * Matchers for `expect.extend` of Vitest and Jest. They read a `SessionConversationState`, and say the same of a live
 * stream and of the stored files. They throw a `TypeError` for another value, and a `RangeError` if no conversation
 * is in the place.
 *
 * @example
 * ```ts
 * expect.extend(sessionMatchers)
 * expect(state).toHaveCalled('Bash', { in: 'reviewer', times: 2 })
 * ```
 */
export const sessionMatchers: {
  readonly [Name in keyof SessionMatchers<void>]: (
    received: unknown,
    ...expected: Parameters<SessionMatchers<void>[Name]>
  ) => MatcherResult
} = { toHaveCalled, toHaveFinished, toHaveChanged, toHaveAsked }

function toHaveCalled(received: unknown, tool: string, expectation: CallExpectation = {}): MatcherResult {
  const { times } = expectation
  const called = blocksIn(stateOf(received), expectation).flatMap((block) => toolsOf(block, tool))
  const count = called.filter((name) => name === tool).length
  return resultOf({
    pass: times === undefined ? count > 0 : count === times,
    expected: `call ${tool}${placeText(expectation)}${times === undefined ? '' : `, ${times === 1 ? 'once' : `${times} times`}`}`,
    found: `the calls are ${tally(called)}`,
  })
}

/** A call that starts an agent has no name of a tool. */
function toolsOf(block: ConversationBlock, tool: string): readonly string[] {
  if (block.type === 'tool_use') return [block.toolName]
  if (block.type !== 'subagent') return []
  return [isAgentTool(tool) ? tool : 'the start of an agent']
}

function toHaveFinished(received: unknown, place: MatcherPlace = {}): MatcherResult {
  const state = stateOf(received)
  const agents = place.in === undefined || place.in === MAIN ? [] : agentsIn(state, place.in)
  const statuses = agents.length > 0 ? agents.map(({ status }) => status) : [sessionStatus(state)]
  return resultOf({
    pass: statuses.every((status) => status === (agents.length > 0 ? 'success' : 'finished')),
    expected: `finish${placeText(place)}`,
    found: `the status is ${statuses.join(', ')}`,
  })
}

function toHaveChanged(received: unknown, path: string, place: MatcherPlace = {}): MatcherResult {
  const state = stateOf(received)
  const ids = place.in === undefined ? undefined : conversationsIn(state, place.in)
  const paths = fileChanges(state)
    .filter(({ conversationId }) => ids?.includes(conversationId) ?? true)
    .map((change) => change.path)
  const wanted = withSlashes(path)
  const isWanted = (each: string) => each === wanted || each.endsWith(`/${wanted}`)
  return resultOf({
    pass: paths.map(withSlashes).some(isWanted),
    expected: `change ${path}${placeText(place)}`,
    found: `the changed files are ${tally(paths)}`,
  })
}

function toHaveAsked(
  received: unknown,
  words: string | RegExp = '',
  place: MatcherPlace = {},
): MatcherResult {
  const titles = blocksIn(stateOf(received), place)
    .filter((block): block is BlockOf<'request'> => block.type === 'request')
    .map(({ title }) => title)
  const isWanted = (title: string) => (typeof words === 'string' ? title.includes(words) : words.test(title))
  return resultOf({
    pass: titles.some(isWanted),
    expected: `ask${words === '' ? '' : ` ${String(words)}`}${placeText(place)}`,
    found: `the requests are ${tally(titles)}`,
  })
}

interface Verdict {
  readonly pass: boolean
  readonly expected: string
  readonly found: string
}

function resultOf({ pass, expected, found }: Verdict): MatcherResult {
  return { pass, message: () => `expected the session ${pass ? 'not ' : ''}to ${expected}, but ${found}` }
}

function stateOf(received: unknown): SessionConversationState {
  if (isObject(received) && Array.isArray(received.blocks) && Array.isArray(received.subagents))
    return received as unknown as SessionConversationState
  throw new TypeError('pass the state of a session, such as reader.state or parseTranscript(text)')
}

function blocksIn(
  state: SessionConversationState,
  { in: place }: MatcherPlace,
): readonly ConversationBlock[] {
  if (place === MAIN) return state.blocks
  const agents = place === undefined ? state.subagents : agentsIn(state, place)
  const ofAgents = agents.flatMap(({ blocks }) => blocks)
  return place === undefined ? [...state.blocks, ...ofAgents] : ofAgents
}

function conversationsIn(state: SessionConversationState, place: string): readonly string[] {
  return place === MAIN ? [MAIN] : agentsIn(state, place).map(({ toolUseId }) => toolUseId)
}

function agentsIn(
  { subagents }: SessionConversationState,
  place: string,
): SessionConversationState['subagents'] {
  const found = subagents.filter(({ name, toolUseId, agentId }) => [name, toolUseId, agentId].includes(place))
  if (found.length > 0) return found
  const names = subagents.map(({ name, toolUseId }) => name ?? toolUseId)
  throw new RangeError(`no agent ${place}: the agents are ${tally(names)}`)
}

function placeText({ in: place }: MatcherPlace): string {
  return place === undefined ? '' : ` in ${place}`
}

/** Returns each text with its number, in the order of their first places. */
function tally(texts: readonly string[]): string {
  const counts = new Map<string, number>()
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1)
  const parts = [...counts].map(([text, count]) => (count === 1 ? text : `${text} (${count})`))
  return parts.length === 0 ? 'none' : parts.join(', ')
}
