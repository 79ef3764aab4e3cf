import { isObject, isString, type JsonObject, parseJson } from '../../src/core/json/values.ts'
import { subjectField, subjectText } from '../../src/core/selectors/call-input.ts'
import type { BlockOf, ConversationBlock } from '../../src/core/state/block.ts'
import type { UserContentPart } from '../../src/core/state/content.ts'
import type { ConversationThread, SessionConversationState } from '../../src/core/state/session.ts'
import { resultParts } from '../../src/sinks/plan/result-parts.ts'

/** How much of a conversation a request to the model has. */
export interface RequestCheck {
  readonly prompts: Share
  readonly texts: Share
  readonly calls: Share
  readonly results: Share
}

interface Share {
  readonly found: number
  readonly all: number
}

type Kind = keyof RequestCheck

/**
 * Looks for a conversation's prompts, texts, calls and results in a request: all in the order of the conversation, and each in messages of its own
 * kind. A result is behind its call, and the next response behind the result. The model knows what came before a compaction from its summary.
 */
export function checkRequest(
  body: JsonObject,
  thread: ConversationThread,
  state: SessionConversationState,
): RequestCheck {
  const search = new RequestSearch(
    placed([...wordsIn(body.messages ?? body.input ?? body.contents, 'prompts')]),
  )
  const from = thread.blocks.findLastIndex(isSummary)
  const [summary] = thread.blocks.slice(from, from + 1).filter(isSummary)
  if (summary) search.findSummary(textsOf(summary.content))
  for (const block of thread.blocks.slice(from + 1)) {
    search.findBlock(block, resultWords(block, thread, state), newLines(block, thread))
  }
  return search.shares
}

interface Words {
  readonly kind: Kind
  readonly text: string
}

interface PlacedWords extends Words {
  /** The number of characters before it in the request. */
  readonly start: number
}

/** A text in a message of its kind, or an image. */
type Part = string | { readonly image: string }

class RequestSearch {
  readonly shares = { prompts: NOTHING, texts: NOTHING, calls: NOTHING, results: NOTHING }
  readonly #said: readonly PlacedWords[]
  #end = 0
  #resultEnd = 0

  constructor(said: readonly PlacedWords[]) {
    this.#said = said
  }

  /** A program may tell its model of a summary in the words of either side. */
  findSummary(texts: readonly string[]): void {
    const isTold = texts.every((text) => this.#said.some((words) => words.text.includes(text.trim())))
    this.#count('prompts', isTold)
  }

  findBlock(block: ConversationBlock, result: readonly Part[] | undefined, lines: readonly string[]): void {
    const [kind, words] = wordsOf(block, lines)
    if (kind === undefined) return
    // The calls of a response come before all its results, but another prompt or text behind them.
    const from = kind === 'calls' ? this.#end : Math.max(this.#end, this.#resultEnd)
    // The words of a call may be unknown, but not those of its result.
    if (words) this.#end = this.#find(kind, words, from) ?? this.#end
    if (!result) return
    this.#resultEnd = this.#find('results', result, Math.max(this.#end, this.#resultEnd)) ?? this.#resultEnd
  }

  /** Returns the end of the texts, one behind the other, and of the images. A program may put the images of a result behind its texts. */
  #find(kind: Kind, parts: readonly Part[], from: number): number | undefined {
    const ends = [parts.filter(isString), parts.filter((part) => !isString(part))].map((each) =>
      this.#endOfAll(kind, each, from),
    )
    const isFound = ends.every((end) => end !== undefined)
    this.#count(kind, isFound)
    return isFound ? Math.max(...ends) : undefined
  }

  #endOfAll(kind: Kind, parts: readonly Part[], from: number): number | undefined {
    let end: number | undefined = from
    for (const part of parts) end = end === undefined ? undefined : this.#endOf(kind, part, end)
    return end
  }

  #endOf(kind: Kind, part: Part, from: number): number | undefined {
    const words = isString(part) ? part.trim() : part.image
    // Some results take texts alone. Their images are in a message of the person behind them.
    const kinds = isString(part) ? [kind] : [kind, 'prompts']
    for (const { kind: own, text, start } of this.#said) {
      const at = kinds.includes(own) ? text.indexOf(words, Math.max(from - start, 0)) : -1
      if (at >= 0 && start + at >= from) return start + at + words.length
    }
    return undefined
  }

  #count(kind: Kind, isFound: boolean): void {
    const { found, all } = this.shares[kind]
    this.shares[kind] = { found: found + (isFound ? 1 : 0), all: all + 1 }
  }
}

const NOTHING: Share = { found: 0, all: 0 }

function placed(said: readonly Words[]): readonly PlacedWords[] {
  let start = 0
  return said.map((words) => {
    const own = { ...words, start }
    start += words.text.length + 1
    return own
  })
}

/** Returns all texts of a value in their order. A line of a text may be JSON with texts of its own. */
function* wordsIn(value: unknown, kind: Kind): Iterable<Words> {
  if (isString(value)) {
    // Codex tells its model of the report of an agent in a message.
    const own = value.startsWith('<subagent_notification>') ? 'results' : kind
    yield { kind: own, text: value }
    for (const line of value.split('\n')) if (/^[[{]/.test(line)) yield* wordsIn(parseJson(line), own)
  } else if (Array.isArray(value)) for (const item of value) yield* wordsIn(item, kind)
  else if (isObject(value))
    for (const field of Object.values(value)) yield* wordsIn(field, kindOf(value, kind))
}

/** Returns what an object of a request is, in any of the dialects; the kind of the object around it if it does not say so. */
function kindOf(
  { type, role, functionResponse, functionCall, function: called }: JsonObject,
  outer: Kind,
): Kind {
  if (functionResponse !== undefined || role === 'tool' || /^tool_result$|_output$/.test(String(type)))
    return 'results'
  if (functionCall !== undefined || called !== undefined || CALLS.has(type)) return 'calls'
  if (role === 'assistant' || role === 'model') return 'texts'
  return role === undefined ? outer : 'prompts'
}

const CALLS: ReadonlySet<unknown> = new Set(['tool_use', 'function_call', 'custom_tool_call'])

function isSummary(block: ConversationBlock): block is BlockOf<'user_message'> {
  return block.type === 'user_message' && block.origin === 'summary'
}

/** Returns the words of a block, and where they are; nothing for a block that no request has. */
function wordsOf(
  block: ConversationBlock,
  lines: readonly string[],
): readonly [kind: Exclude<Kind, 'results'>, words: readonly string[] | undefined] | readonly [] {
  switch (block.type) {
    case 'user_message':
      return block.origin === undefined ? ['prompts', textsOf(block.content)] : []
    case 'assistant_text':
      return block.content === '' ? [] : ['texts', [block.content]]
    case 'subagent':
      return ['calls', [block.input]]
    case 'tool_use':
      return ['calls', callWords(block.input, lines)]
    default:
      return []
  }
}

/** Returns the texts of a prompt, and the bytes of its images. */
function textsOf(content: string | readonly UserContentPart[]): readonly string[] {
  if (isString(content)) return [content]
  return content.flatMap((part) => {
    if (part.type === 'text') return [part.text]
    return part.type === 'image' && part.source.type === 'base64' ? [part.source.data] : []
  })
}

/** Returns what a call works on: the name of a tool may be another one. A patch is known by a file that it changes, and by its lines. */
function callWords(input: unknown, lines: readonly string[]): readonly string[] | undefined {
  if (!isObject(input)) return undefined
  const field = subjectField(input)
  const words =
    field === undefined ? [...wordsIn(input, 'calls')][0]?.text.split('\n', 1)[0] : subjectText(input, field)
  return words === undefined ? undefined : [words, ...('changes' in input ? lines : [])]
}

/** Returns the lines that a call has added to files. */
function newLines(block: ConversationBlock, { blocks }: ConversationThread): readonly string[] {
  const result = blocks.find(
    (each) => each.type === 'tool_result' && block.type === 'tool_use' && each.toolUseId === block.toolUseId,
  )
  const changes = result?.type === 'tool_result' ? (result.changes ?? []) : []
  const lines = changes.flatMap(({ hunks = [] }) => hunks.flatMap((hunk) => hunk.lines))
  return lines.filter((line) => line.startsWith('+')).map((line) => line.slice(1))
}

/** Returns the texts of a call's result, and the bytes of its images. */
function resultWords(
  block: ConversationBlock,
  { blocks }: ConversationThread,
  { subagents }: SessionConversationState,
): readonly Part[] | undefined {
  if (block.type === 'subagent') {
    const output = subagents.find(({ toolUseId }) => toolUseId === block.toolUseId)?.output
    return output === undefined ? undefined : [output]
  }
  if (block.type !== 'tool_use') return undefined
  const result = blocks.find((each) => each.type === 'tool_result' && each.toolUseId === block.toolUseId)
  const parts = result?.type === 'tool_result' ? resultParts(result.output) : []
  return parts.length === 0
    ? undefined
    : parts.map((part) => (part.type === 'text' ? part.text : { image: part.data }))
}
