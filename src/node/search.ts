import { omitUndefined } from '../core/json/fields.ts'
import { asArray, assertNever, isObject } from '../core/json/values.ts'
import { errorText } from '../core/selectors/failure.ts'
import { textOf } from '../core/selectors/text.ts'
import { type BlockOf, type ConversationBlock, isPrompt } from '../core/state/block.ts'
import { MAIN, type SubagentState } from '../core/state/session.ts'
import type { SessionTurn } from '../core/state/turn.ts'
import { isTool } from '../programs/tool-kind.ts'
import { type Find, type SearchPattern, searchPattern } from './search-pattern.ts'

/** The kind of text that a match has. */
export type MatchKind = 'title' | 'prompt' | 'note' | 'answer' | 'tool' | 'output' | 'agent' | 'error'

/** The writer of the text of a match: the person or the program in their place, the model, or a tool. */
export const SEARCH_ROLES = ['user', 'assistant', 'tool'] as const

/** The writer whose words a search reads: the person, the model, or tools. */
export type SearchRole = (typeof SEARCH_ROLES)[number]

/** Which places of a session to search. Each field leaves fewer of them. */
export interface MatchFilter {
  /** The calls of a tool, by its name or its kind (`command`, `edit`, …), and their results. */
  readonly tool?: string | undefined
  /** The calls whose input or changes name a file: a path, or a part of one. */
  readonly file?: string | undefined
  /** The calls whose input has a text in one of its fields, and their results. White space and capitals count as in a search. */
  readonly input?: string | undefined
  readonly role?: SearchRole | undefined
  /** The failed calls and the errors. */
  readonly failed?: boolean | undefined
}

/** A place in a session that contains the text. */
export interface SearchMatch {
  readonly kind: MatchKind
  /** `'main'` or the `toolUseId` of an agent. */
  readonly conversationId: string
  /** The name or the description of the agent. Absent for main. */
  readonly agent?: string
  readonly blockId?: string
  readonly timestamp?: string
  /** The call of a match in an input or an output. */
  readonly call?: BlockOf<'tool_use'>
  /** Whether that call failed. */
  readonly failed?: true
  /** The exit code of its command. */
  readonly exit?: number
  /** The text before the match, the match and the text after it, on one line. */
  readonly context: readonly [before: string, match: string, after: string]
}

/** The parts of a session that a search looks at. A state has it, and an index keeps it. */
export interface SearchedState {
  /** An index keeps none: its blocks have the failure. */
  readonly turn?: Pick<SessionTurn, 'status' | 'error'>
  readonly blocks: readonly ConversationBlock[]
  readonly subagents: readonly Pick<SubagentState, 'toolUseId' | 'name' | 'description' | 'blocks'>[]
}

/** Returns a state with what a search looks at alone. A search finds the same in it. */
export function searchedState({ subagents, ...main }: SearchedState): SearchedState {
  return {
    blocks: searchedBlocks(withFailure(main)),
    subagents: subagents.map(({ toolUseId, name, description, blocks: own }) =>
      omitUndefined({ toolUseId, name, description, blocks: searchedBlocks(own) }),
    ),
  }
}

/** Returns main's blocks. If the turn alone states why it failed, an error with the id of the last block follows them. */
function withFailure({ blocks, turn }: Pick<SearchedState, 'blocks' | 'turn'>): SearchedState['blocks'] {
  if (turn?.status !== 'failed' || !turn.error) return blocks
  const start = blocks.findLastIndex(isPrompt)
  const isShown = blocks.some(
    (block, at) => at > start && block.type === 'error' && block.message === turn.error,
  )
  if (isShown) return blocks
  const id = blocks.at(-1)?.id ?? ''
  return [
    ...blocks,
    { conversationId: MAIN, type: 'error', id, status: 'complete', message: errorText(turn.error) },
  ]
}

function searchedBlocks(blocks: readonly ConversationBlock[]): readonly ConversationBlock[] {
  return blocks.flatMap((block): readonly ConversationBlock[] => {
    switch (block.type) {
      case 'user_message': {
        const { changes: _changes, ...rest } = block
        return [{ ...rest, content: textOf(block) }]
      }
      case 'tool_use': {
        const { inputText: _inputText, ...rest } = block
        return [rest]
      }
      case 'tool_result': {
        const { changes, ...rest } = block
        const paths = changes?.map(({ path, kind }) => ({ path, kind, added: 0, removed: 0 }))
        return [{ ...rest, output: stringsIn(block.output).join(' '), ...(paths && { changes: paths }) }]
      }
      case 'subagent': {
        const { output: _output, inputText: _inputText, ...rest } = block
        return [rest]
      }
      case 'assistant_text':
      case 'request':
      case 'error':
        return [block]
      case 'thinking':
      case 'system':
      case 'skill_load':
        return []
      default:
        return assertNever(block)
    }
  })
}

/** A session to search, with the title that its list shows. */
interface SearchedSession {
  readonly title: string | undefined
  readonly state: SearchedState
}

/**
 * Yields the matches of a session: main's first, then those of its agents. A block has at most one match for each of
 * its texts. Without a pattern, each place of the filter is a match.
 */
export function* findMatches(
  { title, state }: SearchedSession,
  pattern: Pick<SearchPattern, 'find'> | undefined,
  filter: MatchFilter = {},
): Generator<SearchMatch, void> {
  const find = pattern?.find ?? findAnything
  const isWhole = isUnfiltered(filter)
  const titleContext = isWhole ? contextOf(title ?? '', find) : undefined
  if (titleContext) yield { kind: 'title', conversationId: MAIN, context: titleContext }
  const wanted = {
    ...filter,
    file: plainFile(filter.file),
    input: filter.input === undefined ? undefined : searchPattern(filter.input),
  }
  yield* threadMatches({ blocks: withFailure(state) }, { conversationId: MAIN }, find, wanted)
  for (const agent of state.subagents) {
    const { toolUseId: conversationId, name = '', description = '' } = agent
    const facts = { conversationId, agent: description || name || conversationId }
    const context = isWhole ? contextOf(`${name} ${description}`, find) : undefined
    if (context) yield { kind: 'agent', ...facts, context }
    yield* threadMatches(agent, facts, find, wanted)
  }
}

/** Returns the part of a path that calls have: in a shell it may begin with `./`. */
export function plainFile(file: string | undefined): string | undefined {
  return file?.replace(/^(?:\.[\\/])+/, '')
}

/** Finds the beginning of any text that is not blank. */
function findAnything(text: string): ReturnType<Find> {
  const start = text.search(/\S/)
  return start < 0 ? undefined : { start, end: start + 1 }
}

/** Whether all places of a session are searched. */
export function isUnfiltered({ tool, file, input, role, failed }: MatchFilter): boolean {
  return [tool, file, input, role].every((each) => each === undefined) && !failed
}

/** Yields all texts that a search looks at, and the paths of changed files. */
export function* searchedTexts({ title, state }: SearchedSession): Generator<string, void> {
  if (title !== undefined) yield title
  for (const { name = '', description = '' } of state.subagents) yield `${name} ${description}`
  for (const { blocks } of [{ blocks: withFailure(state) }, ...state.subagents])
    for (const block of blocks) {
      for (const [, text] of textsOf(block)) yield text
      if (block.type === 'tool_result') for (const { path } of block.changes ?? []) yield path
    }
}

/** A filter whose expression is compiled. */
type WantedPlaces = Omit<MatchFilter, 'input'> & { readonly input: SearchPattern | undefined }

function* threadMatches(
  { blocks }: Pick<SearchedState, 'blocks'>,
  facts: Pick<SearchMatch, 'conversationId' | 'agent'>,
  find: Find,
  filter: WantedPlaces,
): Generator<SearchMatch, void> {
  const calls = new Map<string, BlockOf<'tool_use'>>()
  const results = new Map<string, BlockOf<'tool_result'>>()
  for (const block of blocks) {
    if (block.type === 'tool_use') calls.set(block.toolUseId, block)
    if (block.type === 'tool_result') results.set(block.toolUseId, block)
  }
  for (const block of blocks) {
    const id = block.type === 'tool_use' || block.type === 'tool_result' ? block.toolUseId : ''
    const [call, result] = [calls.get(id), results.get(id)]
    const hasFailed = call?.status === 'error' || result?.isError === true
    if (!isWanted(block, { call, result, hasFailed }, filter)) continue
    for (const [kind, text] of textsOf(block)) {
      const context = contextOf(text, find)
      if (!context) continue
      yield {
        ...{ kind, ...facts, blockId: block.id },
        ...(block.timestamp !== undefined && { timestamp: block.timestamp }),
        ...(call && { call }),
        ...(hasFailed && { failed: true as const }),
        ...(result?.exitCode !== undefined && { exit: result.exitCode }),
        context,
      }
    }
  }
}

interface CallOfBlock {
  readonly call: BlockOf<'tool_use'> | undefined
  readonly result: BlockOf<'tool_result'> | undefined
  readonly hasFailed: boolean
}

function isWanted(
  block: ConversationBlock,
  { call, result, hasFailed }: CallOfBlock,
  { tool, file, input, role, failed }: WantedPlaces,
): boolean {
  if (tool !== undefined && !(call && isTool(call.toolName, tool))) return false
  if (file !== undefined && !(call && namesFile(call, result, file))) return false
  if (input && !(call && stringsIn(call.input).some((text) => input.find(text)))) return false
  if (role !== undefined && roleOf(block) !== role) return false
  return !failed || hasFailed || block.type === 'error'
}

function namesFile({ input }: BlockOf<'tool_use'>, result: CallOfBlock['result'], file: string): boolean {
  const paths = result?.changes?.map(({ path }) => path) ?? []
  return [...stringsIn(input), ...paths].some((text) => text.includes(file))
}

function roleOf({ type }: ConversationBlock): SearchRole | undefined {
  switch (type) {
    case 'user_message':
      return 'user'
    case 'assistant_text':
      return 'assistant'
    case 'tool_use':
    case 'tool_result':
    case 'request':
    case 'subagent':
      return 'tool'
    case 'error':
    case 'thinking':
    case 'system':
    case 'skill_load':
      return undefined
    default:
      return assertNever(type)
  }
}

/** Returns the texts of a block that people search for. */
function textsOf(block: ConversationBlock): readonly (readonly [MatchKind, string])[] {
  switch (block.type) {
    case 'user_message':
      return [[block.origin === undefined ? 'prompt' : 'note', textOf(block)]]
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

function contextOf(text: string, find: Find): SearchMatch['context'] | undefined {
  const found = find(text)
  if (!found) return undefined
  const start = Math.max(0, found.start - BEFORE)
  // A cut never leaves half of a character.
  const before = (start > 0 ? '…' : '') + text.slice(start, found.start).replace(/^[\udc00-\udfff]/, '')
  const after = text.slice(found.end, found.end + AFTER).replace(/[\ud800-\udbff]$/, '')
  return [before, text.slice(found.start, found.end), after]
}
