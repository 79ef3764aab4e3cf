import { asObject, isObject, type JsonObject } from '../core/json/values.ts'
import { produce } from '../core/lineage/produce.ts'
import type { Conversation } from './conversation.ts'
import { type ConversationLog, getConversation, recentConversations } from './log.ts'

/** The description of a tool for a model. */
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
const DEFAULT_LISTED = 10

/** With these tools an agent ends the active conversation and reads ended ones. */
export const conversationTools: readonly ConversationTool[] = Object.freeze([
  {
    name: 'end_conversation',
    description:
      'Ends the current conversation, so that the next message begins a new one. Use it when the user asks for it ("end ' +
      'conversation", "that\'s all") or when the task is done.',
    inputSchema: { type: 'object', properties: {}, additionalProperties: false },
  },
  {
    name: 'get_conversation',
    description:
      'Looks up past conversations, which are not part of the context. With conversation_id: all messages of that one. ' +
      'Without: titles and summaries of the latest ones, the newest first. For older ones, call it again with the last id of the ' +
      'list as before, until the list is empty. With query: only those whose title, summary or messages have all its words.',
    inputSchema: {
      type: 'object',
      properties: {
        conversation_id: { type: 'string', description: 'The id of a conversation from the list.' },
        count: {
          type: 'integer',
          minimum: 1,
          maximum: MAX_LISTED,
          default: DEFAULT_LISTED,
          description: 'How many to list.',
        },
        before: {
          type: 'string',
          description: 'The id of a conversation from the list: lists older ones only.',
        },
        query: {
          type: 'string',
          description: 'Words to search for, in any order. Upper and lower case do not count.',
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

/**
 * Why a tool call failed:
 * - `unknown-tool`: no tool has the name
 * - `invalid-argument`: the argument at `path` is of another kind
 * - `unknown-argument`: the tool has no argument of that name
 * - `unknown-conversation`: no conversation has the id at `path`
 * - `not-json`: the conversations cannot be written as JSON
 */
export interface ConversationToolIssue {
  readonly code:
    | 'unknown-tool'
    | 'invalid-argument'
    | 'unknown-argument'
    | 'unknown-conversation'
    | 'not-json'
  /** Leads to the wrong part of the call. */
  readonly path: readonly string[]
}

/** The result of a tool call. */
export interface HandledToolCall {
  readonly log: ConversationLog
  /** The answer for the model. */
  readonly result: { readonly content: string; readonly isError: boolean }
  /** Only if the result is an error. */
  readonly issue?: ConversationToolIssue
}

/**
 * Answers a call of a conversation tool. Wrong arguments are a tool error, so that the model can correct them. A
 * conversation that cannot be written as JSON is a tool error too. The host reads each error as an `issue`. After
 * `end_conversation` the agent's reply is the last message of the conversation: `appendMessage` ends the conversation
 * with that reply, or before the user's next message.
 */
export function handleConversationTool(log: ConversationLog, call: ConversationToolCall): HandledToolCall {
  const { name, input } = asObject(call)
  const tool = conversationTools.find((each) => each.name === name)
  if (!tool)
    return failure(
      log,
      'unknown-tool',
      ['name'],
      `unknown tool${typeof name === 'string' ? `: ${name}` : ''}`,
    )
  const given = input ?? {}
  if (!isObject(given)) return failure(log, 'invalid-argument', ['input'], 'the arguments must be an object')
  const unknown = Object.keys(given).find((field) => !Object.hasOwn(tool.inputSchema.properties, field))
  if (unknown !== undefined)
    return failure(log, 'unknown-argument', ['input', unknown], `unknown argument: ${unknown}`)
  if (tool.name === 'get_conversation') return readConversations(log, given)
  if (!log.active) return success(log, 'No conversation is active.')
  const ending = produce(log, (draft) => {
    draft.isEnding = true
  })
  return success(ending, 'The conversation ends with your reply.')
}

function success(log: ConversationLog, content: string): HandledToolCall {
  return { log, result: { content, isError: false } }
}

function failure(
  log: ConversationLog,
  code: ConversationToolIssue['code'],
  path: readonly string[],
  content: string,
): HandledToolCall {
  return { log, result: { content, isError: true }, issue: { code, path } }
}

function wrongArgument(log: ConversationLog, name: string, expected: string): HandledToolCall {
  return failure(log, 'invalid-argument', ['input', name], `${name}: pass ${expected}`)
}

function readConversations(
  log: ConversationLog,
  { conversation_id: id, count = DEFAULT_LISTED, before, query = '' }: JsonObject,
): HandledToolCall {
  if (typeof count !== 'number' || !Number.isInteger(count) || count < 1 || count > MAX_LISTED)
    return wrongArgument(log, 'count', `an integer from 1 to ${MAX_LISTED}`)
  if (before !== undefined && typeof before !== 'string') return wrongArgument(log, 'before', 'a string')
  if (typeof query !== 'string') return wrongArgument(log, 'query', 'a string')
  if (id === undefined) return listConversations(log, { count, before, query })
  if (typeof id !== 'string') return wrongArgument(log, 'conversation_id', 'a string')
  const found = getConversation(log, id)
  if (found) return jsonResult(log, found)
  const path = ['input', 'conversation_id']
  return failure(log, 'unknown-conversation', path, `no conversation has the id ${JSON.stringify(id)}`)
}

interface Page {
  readonly count: number
  readonly before: string | undefined
  readonly query: string
}

/** Lists the newest conversations that have all words, or those that are older than one. So pages reach every conversation of the log. */
function listConversations(log: ConversationLog, { count, before, query }: Page): HandledToolCall {
  const newestFirst = recentConversations(log, log.ended.count)
  const start = before === undefined ? 0 : newestFirst.findIndex(({ id }) => id === before) + 1
  if (start === 0 && before !== undefined) {
    const content = `before: no past conversation has the id ${JSON.stringify(before)}`
    return failure(log, 'unknown-conversation', ['input', 'before'], content)
  }
  const words = query.toLowerCase().split(/\s+/)
  const found = newestFirst.slice(start).filter((conversation) => hasWords(conversation, words))
  return jsonResult(log, found.slice(0, count).map(toListItem))
}

function hasWords({ title, summary, messages }: Conversation, words: readonly string[]): boolean {
  const texts = [title ?? '', summary ?? '', ...messages.map(({ content }) => content)]
  const lower = texts.map((text) => text.toLowerCase())
  return words.every((word) => lower.some((text) => text.includes(word)))
}

/** A host may put values into a message that JSON cannot hold. Many messages may be longer than the longest string. */
function jsonResult(log: ConversationLog, found: unknown): HandledToolCall {
  try {
    return success(log, JSON.stringify(found))
  } catch {
    return failure(log, 'not-json', [], 'the result cannot be written as JSON')
  }
}

function toListItem({ id, startedAt, endedAt, title, summary, messages }: Conversation): unknown {
  return { id, startedAt, endedAt, title, summary, messages: messages.length }
}

/** A model without tools writes this at the end of its response to end the conversation. */
export const END_SIGNAL = '<end_conversation/>'

/** Returns the response without an end signal at its end, and whether it had one. Append the message first, then end the conversation. */
export function readEndSignal(response: string): { readonly content: string; readonly isEnd: boolean } {
  const content = response.trimEnd()
  if (!content.endsWith(END_SIGNAL)) return { content: response, isEnd: false }
  return { content: content.slice(0, -END_SIGNAL.length).trimEnd(), isEnd: true }
}
