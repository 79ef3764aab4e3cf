import { isObject, type JsonObject } from '../json/values.ts'
import type { Conversation } from './conversation.ts'
import { type ConversationLog, getConversation, recentConversations } from './log.ts'

/** A tool as a model is told of it. */
export interface ConversationTool {
  readonly name: 'end_conversation' | 'get_conversation'
  readonly description: string
  /** JSON Schema. */
  readonly inputSchema: {
    readonly type: 'object'
    readonly properties: Readonly<Record<string, unknown>>
    readonly additionalProperties: false
  }
}

const MAX_LISTED = 50
const LISTED = 10

/** The agent's own way to end a conversation, and its only way to those that have ended. */
export const conversationTools: readonly ConversationTool[] = Object.freeze([
  {
    name: 'end_conversation',
    description:
      'Ends the current conversation, so that the next message begins a new one. Use it when the user asks for it ("end ' +
      'conversation", "that\'s all") or when what they wanted is done and nothing is left to say.',
    inputSchema: { type: 'object', properties: {}, additionalProperties: false },
  },
  {
    name: 'get_conversation',
    description:
      'Looks up past conversations, which are not part of the context. With conversation_id: all messages of that one. ' +
      'Without: titles and summaries of the latest ones, the newest first.',
    inputSchema: {
      type: 'object',
      properties: {
        conversation_id: { type: 'string', description: 'The id of a conversation from the list.' },
        count: {
          type: 'integer',
          minimum: 1,
          maximum: MAX_LISTED,
          default: LISTED,
          description: 'How many to list.',
        },
      },
      additionalProperties: false,
    },
  },
])

/** A call of one of the tools, as the model made it. */
export interface ConversationToolCall {
  readonly name: string
  readonly input: unknown
}

/** What a call gave. */
export interface HandledToolCall {
  readonly log: ConversationLog
  /** What the model is told. */
  readonly result: { readonly content: string; readonly isError: boolean }
}

/**
 * Answers a call of a conversation tool. Arguments that do not fit are a tool error, for the model to mend, and so is a
 * conversation that cannot be written as JSON. After `end_conversation` the agent's reply is the last message of the
 * conversation: `appendMessage` ends it with that, or before the person's next message.
 */
export function handleConversationTool(
  log: ConversationLog,
  { name, input }: ConversationToolCall,
): HandledToolCall {
  const tool = conversationTools.find((each) => each.name === name)
  if (!tool) return { log, result: refused(`unknown tool${typeof name === 'string' ? `: ${name}` : ''}`) }
  const call = input ?? {}
  if (!isObject(call)) return { log, result: refused('the arguments are no object') }
  const odd = Object.keys(call).find((field) => !Object.hasOwn(tool.inputSchema.properties, field))
  if (odd !== undefined) return { log, result: refused(`unknown argument: ${odd}`) }
  if (tool.name === 'get_conversation') return { log, result: lookUp(log, call) }
  if (!log.active) return { log, result: answer('No conversation is active.') }
  return {
    log: log.isEnding ? log : { ...log, isEnding: true },
    result: answer('The conversation ends with your reply.'),
  }
}

type ToolResult = HandledToolCall['result']

function answer(content: string): ToolResult {
  return { content, isError: false }
}

function refused(content: string): ToolResult {
  return { content, isError: true }
}

function lookUp(log: ConversationLog, { conversation_id: id, count = LISTED }: JsonObject): ToolResult {
  if (typeof count !== 'number' || !Number.isInteger(count) || count < 1 || count > MAX_LISTED)
    return refused(`count: an integer from 1 to ${MAX_LISTED} is needed`)
  if (id === undefined) return told(recentConversations(log, count).map(listed))
  if (typeof id !== 'string') return refused('conversation_id: a string is needed')
  const found = getConversation(log, id)
  return found ? told(found) : refused(`no conversation has the id ${JSON.stringify(id)}`)
}

/** What a host has put into a message may be no JSON, and many messages more than one string can hold. */
function told(found: unknown): ToolResult {
  try {
    return answer(JSON.stringify(found))
  } catch {
    return refused('what was found cannot be written as JSON')
  }
}

function listed({ id, startedAt, endedAt, title, summary, messages }: Conversation): unknown {
  return { id, startedAt, endedAt, title, summary, messages: messages.length }
}
