import { isObject, isString, type JsonObject, parseJson } from '../../src/json/values.ts'
import { resultParts } from '../../src/plan/result-parts.ts'
import { subjectField, subjectText } from '../../src/selectors/call-input.ts'
import type { ConversationBlock } from '../../src/state/block.ts'
import type { SessionConversationState } from '../../src/state/session.ts'

/** How much of main's conversation a request to the model has. */
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

/** Looks for main's prompts, texts, calls and results in a request, each kind in its order. The model knows what came before a compaction from its summary. */
export function checkRequest(body: JsonObject, state: SessionConversationState): RequestCheck {
  const text = stringsIn(body.messages ?? body.input ?? body.contents).join('\n')
  const from = state.blocks.findLastIndex(
    (block) => block.type === 'user_message' && block.origin === 'summary',
  )
  const blocks = state.blocks.slice(Math.max(from, 0))
  const share = (words: (block: ConversationBlock) => string | undefined) =>
    inOrder(
      text,
      blocks.flatMap((block) => words(block) ?? []),
    )
  return {
    prompts: share(promptWords),
    texts: share((block) => (block.type === 'assistant_text' ? block.content : undefined)),
    calls: share((block) => callWords(block)),
    results: share((block) => resultWords(block, state)),
  }
}

function promptWords(block: ConversationBlock): string | undefined {
  if (block.type !== 'user_message' || (block.origin !== undefined && block.origin !== 'summary'))
    return undefined
  if (isString(block.content)) return block.content
  return block.content.flatMap((part) => (part.type === 'text' ? [part.text] : []))[0]
}

/** Returns what a call works on: the name of a tool may be another one. */
function callWords(block: ConversationBlock): string | undefined {
  if (block.type === 'subagent') return block.input
  if (block.type !== 'tool_use' || !isObject(block.input)) return undefined
  const field = subjectField(block.input)
  // A patch is known by the files that it changes.
  const words = field === undefined ? stringsIn(block.input)[0] : subjectText(block.input, field)
  return words?.split('\n', 1)[0]
}

/** Returns the words of a call's result. Results follow the calls of their response, in the order of those. */
function resultWords(
  block: ConversationBlock,
  { blocks, subagents }: SessionConversationState,
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
    at = next
    found += 1
  }
  return { found, all: words.length }
}

/** Returns all texts of a value in their order. A line of a text may be JSON with texts of its own. */
function stringsIn(value: unknown): readonly string[] {
  if (isString(value)) {
    const inner = value.split('\n').map((line) => (/^[[{]/.test(line) ? parseJson(line) : undefined))
    return [value, ...inner.flatMap(stringsIn)]
  }
  if (Array.isArray(value)) return value.flatMap(stringsIn)
  return isObject(value) ? Object.values(value).flatMap(stringsIn) : []
}
