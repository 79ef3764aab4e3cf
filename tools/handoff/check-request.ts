import { isObject, isString, type JsonObject, parseJson } from '../../src/json/values.ts'
import { resultParts } from '../../src/plan/result-parts.ts'
import { subjectField, subjectText } from '../../src/selectors/call-input.ts'
import type { ConversationBlock } from '../../src/state/block.ts'
import type { ConversationThread, SessionConversationState } from '../../src/state/session.ts'

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
 * Looks for a conversation's prompts, texts, calls and results in a request, each kind in its order and in the messages of its own. The model knows what
 * came before a compaction from its summary.
 */
export function checkRequest(
  body: JsonObject,
  thread: ConversationThread,
  state: SessionConversationState,
): RequestCheck {
  const said = [...wordsIn(body.messages ?? body.input ?? body.contents, 'prompts')]
  const from = thread.blocks.findLastIndex(
    (block) => block.type === 'user_message' && block.origin === 'summary',
  )
  const blocks = thread.blocks.slice(Math.max(from, 0))
  const share = (kind: Kind, words: (block: ConversationBlock) => string | undefined) =>
    inOrder(
      said.flatMap((word) => (word.kind === kind ? [word.text] : [])).join('\n'),
      blocks.flatMap((block) => words(block) ?? []),
    )
  const prompts = share('prompts', promptWords)
  // A program may tell its model of a summary in the words of either side.
  const summary = blocks.find((block) => block.type === 'user_message' && block.origin === 'summary')
  const words = summary && textOf(summary)
  const isTold = words !== undefined && said.some(({ text }) => text.includes(words.trim()))
  return {
    prompts: {
      found: prompts.found + (isTold ? 1 : 0),
      all: prompts.all + (words === undefined ? 0 : 1),
    },
    texts: share('texts', (block) => (block.type === 'assistant_text' ? block.content : undefined)),
    calls: share('calls', callWords),
    results: share('results', (block) => resultWords(block, thread, state)),
  }
}

interface Words {
  readonly kind: Kind
  readonly text: string
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

function promptWords(block: ConversationBlock): string | undefined {
  return block.type === 'user_message' && block.origin === undefined ? textOf(block) : undefined
}

function textOf(block: ConversationBlock): string | undefined {
  if (block.type !== 'user_message') return undefined
  if (isString(block.content)) return block.content
  return block.content.flatMap((part) => (part.type === 'text' ? [part.text] : []))[0]
}

/** Returns what a call works on: the name of a tool may be another one. */
function callWords(block: ConversationBlock): string | undefined {
  if (block.type === 'subagent') return block.input
  if (block.type !== 'tool_use' || !isObject(block.input)) return undefined
  const field = subjectField(block.input)
  // A patch is known by the files that it changes.
  const words =
    field === undefined ? [...wordsIn(block.input, 'calls')][0]?.text : subjectText(block.input, field)
  return words?.split('\n', 1)[0]
}

/** Returns the words of a call's result. Results follow the calls of their response, in the order of those. */
function resultWords(
  block: ConversationBlock,
  { blocks }: ConversationThread,
  { subagents }: SessionConversationState,
): string | undefined {
  if (block.type === 'subagent')
    return subagents.find(({ toolUseId }) => toolUseId === block.toolUseId)?.output
  if (block.type !== 'tool_use') return undefined
  const result = blocks.find((each) => each.type === 'tool_result' && each.toolUseId === block.toolUseId)
  const [first] = result?.type === 'tool_result' ? resultParts(result.output) : []
  return first?.type === 'text' ? first.text : undefined
}

function inOrder(text: string, words: readonly string[]): Share {
  let [at, found] = [0, 0]
  for (const each of words) {
    const next = text.indexOf(each.trim(), at)
    if (next < 0) continue
    at = next + each.trim().length
    found += 1
  }
  return { found, all: words.length }
}
