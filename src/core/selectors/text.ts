import { asArray, asObject, asString, assertNever } from '../json/values.ts'
import type { ConversationBlock } from '../state/block.ts'

/**
 * Returns the text that a person reads in a block: the words of a message, the output of a tool without its images,
 * the title of a request, the last report of an agent. Texts of several parts are joined with line breaks. It is
 * empty for a block without text. A tool's call is no text: see `partialInput`.
 */
export function textOf(block: ConversationBlock): string {
  switch (block.type) {
    case 'user_message':
    case 'assistant_text':
    case 'thinking':
    case 'skill_load':
      return outputText(block.content)
    case 'tool_result':
    case 'subagent':
      return outputText(block.output)
    case 'request':
      return block.title
    case 'system':
    case 'error':
      return block.message
    case 'tool_use':
      return ''
    default:
      return assertNever(block)
  }
}

/** A program's output is a text, a list of parts with texts, or an object that has one of both. */
function outputText(output: unknown): string {
  if (typeof output === 'string') return output
  if (Array.isArray(output)) {
    const texts = asArray(output).map((part) =>
      typeof part === 'string' ? part : asString(asObject(part).text),
    )
    return texts.filter((text) => text !== undefined).join('\n')
  }
  const { text, content, output: inner } = asObject(output)
  const found = text ?? content ?? inner
  return found === undefined ? '' : outputText(found)
}
