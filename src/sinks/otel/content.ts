import { assertNever } from '../../core/json/values.ts'
import type { ConversationBlock, UserMessageBlock } from '../../core/state/block.ts'

/** Returns the messages of blocks in the JSON of the semantic conventions for generative AI; undefined if there are none. */
export function messagesJson(blocks: readonly ConversationBlock[]): string | undefined {
  const messages = blocks.flatMap((block) => messageOf(block) ?? [])
  return messages.length === 0 ? undefined : JSON.stringify(messages)
}

interface Message {
  readonly role: 'user' | 'assistant' | 'tool'
  readonly parts: readonly object[]
}

function messageOf(block: ConversationBlock): Message | undefined {
  switch (block.type) {
    case 'user_message':
      return { role: 'user', parts: userParts(block) }
    case 'assistant_text':
      return { role: 'assistant', parts: [{ type: 'text', content: block.content }] }
    case 'thinking':
      return { role: 'assistant', parts: [{ type: 'reasoning', content: block.content }] }
    case 'tool_use':
      return {
        role: 'assistant',
        parts: [{ type: 'tool_call', id: block.toolUseId, name: block.toolName, arguments: block.input }],
      }
    case 'subagent':
      return {
        role: 'assistant',
        parts: [
          { type: 'tool_call', id: block.toolUseId, name: block.name ?? 'agent', arguments: block.input },
        ],
      }
    case 'tool_result':
      return {
        role: 'tool',
        parts: [{ type: 'tool_call_response', id: block.toolUseId, response: block.output }],
      }
    case 'request':
    case 'system':
    case 'error':
    case 'skill_load':
      return undefined
    default:
      return assertNever(block)
  }
}

function userParts({ content }: UserMessageBlock): readonly object[] {
  if (typeof content === 'string') return [{ type: 'text', content }]
  return content.map((part) => (part.type === 'text' ? { type: 'text', content: part.text } : part))
}
