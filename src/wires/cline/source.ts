import { asObject, asString, isObject, isString, type JsonObject } from '../../core/json/values.ts'
import { messageIdOf, type UserMessageBlock } from '../../core/state/block.ts'
import { type UserContentPart, userContent } from '../../core/state/content.ts'
import { MAIN, type SessionConversationState } from '../../core/state/session.ts'
import { isFinal } from '../../core/state/subagent.ts'
import { cline, SUBAGENT, TEAMMATE } from '../../programs/cline/program.ts'
import {
  type InputEnd,
  type Memory,
  type SessionOutput,
  TranslationContext,
  typeName,
} from '../../reading/context.ts'
import { defineSource } from '../../reading/define-source.ts'
import type { SessionLookups } from '../../reading/lookups.ts'
import type { Source } from '../../reading/source.ts'
import { endAgent } from '../kit/abandon.ts'
import { errorBlock } from '../kit/blocks.ts'
import { conversationOf } from './agents.ts'
import { endCall, startCall } from './calls.ts'
import { clineRules } from './format.ts'
import {
  isIndex,
  isStoredFile,
  readLine,
  readStoredFile,
  type StoredFile,
  type StoredMessage,
  type StoredValue,
} from './messages.ts'
import { type ClineContext, type ClineNotes, NOTES } from './notes.ts'
import { placedReplies } from './place.ts'
import { firstPromptId, reportTokens, show, textId } from './reply.ts'
import { withOwnIds } from './reused-ids.ts'
import { beginTurn, endByIndex, outcomeOf, showReply, translateLine } from './stream.ts'

/**
 * Makes the notes that are needed to go on from a state. They have the replies that go on, the time up to which each
 * conversation is known, and the time of the last block.
 */
function open({ blocks, subagents }: SessionConversationState, memory: Memory<ClineContext>): void {
  const threads = [
    { id: MAIN, blocks },
    ...subagents.map(({ toolUseId: id, ...thread }) => ({ id, ...thread })),
  ]
  for (const thread of threads) {
    const last = thread.blocks.findLast((block) => messageIdOf(block) !== undefined)
    const reply = last && messageIdOf(last)
    if (reply !== undefined && thread.blocks.at(-1) === last)
      memory.notes.setEntry('replies', thread.id, reply)
  }
  for (const { id, blocks: own } of threads) {
    const last = own.findLast(({ timestamp }) => timestamp !== undefined)?.timestamp
    if (last !== undefined && (id === MAIN || memory.state.hasEnded(id)))
      memory.notes.setEntry('covered', id, last)
  }
  // The words of an agent's end follow the hook, and name no agent.
  const ended = subagents.find(({ status, output }) => isFinal(status) && output === undefined)
  if (ended) memory.notes.remember({ lastActor: ended.toolUseId })
  const times = threads.flatMap((thread) => thread.blocks.flatMap(({ timestamp }) => timestamp ?? []))
  const time = times.sort().at(-1)
  if (time !== undefined) memory.notes.remember({ stream: { time, seen: [] } })
}

/**
 * Reads two forms of a session of Cline CLI:
 * - the lines of `cline --json`
 * - the files of the session and of its agents, each of which is one message
 */
export const clineSource: Source = /* @__PURE__ */ defineSource({
  transcripts: clineRules,
  notes: NOTES,
  begin: (session) => new TranslationContext<ClineNotes>(session),
  translate,
  end,
  open,
})

function translate(message: unknown, context: ClineContext): void {
  const value = context.read(message)
  if (!isObject(value)) return context.reportUnknown('unknown-message', 'no object')
  if (isStoredFile(value))
    return translateFile(value, isString(value.agentId) ? value.agentId : undefined, context)
  if (isIndex(value)) {
    context.addMissingFacts({ id: value.session_id, cwd: asString(value.cwd) })
    return endByIndex(asString(value.status) ?? '', asString(value.ended_at), context)
  }
  const line = readLine(value)
  if (!line) return context.reportUnknown('unknown-message', typeName(value.type))
  translateLine(line, JSON.stringify(value), context)
}

function end(context: ClineContext): InputEnd {
  for (const { conversationId, reply } of placedReplies(true, context))
    showReply(conversationId, reply, context)
  return context.endInput()
}

/** A message's place in its file: the last prompt or call, and the number of replies after it. */
interface Walk {
  readonly conversationId: string
  place: string
  replies: number
  hasPrompt: boolean
  /** The last reply. */
  reply?: string
}

/** Translates a whole file of main, or of the agent with that name of a file. The program writes it anew with each message. */
function translateFile(value: StoredValue, agentId: string | undefined, context: ClineContext): void {
  const file = readStoredFile(value)
  context.addMissingFacts({ program: cline.names[0] })
  if (agentId === undefined) {
    context.addMissingFacts({ id: file.sessionId })
    if (context.state.facts.id !== file.sessionId) return context.reportUnknown('other-session', 'messages')
  }
  const conversationId = agentId === undefined ? MAIN : placeAgent(agentId, file, context)
  // The file of an agent that works has no messages.
  if (conversationId === undefined) return
  const walk: Walk = { conversationId, place: firstPromptId(conversationId), replies: 0, hasPrompt: false }
  for (const message of withOwnIds(file.messages)) {
    if (message.isUser) translateUser(message, walk, context)
    else if (message.isError) translateError(message, walk, context)
    else translateReply(message, walk, context)
  }
  if (walk.reply !== undefined) context.notes.setEntry('replies', conversationId, walk.reply)
  const time = file.messages.at(-1)?.time
  if (time !== undefined) context.notes.setEntry('covered', conversationId, time)
  endFile(file, conversationId, context)
}

/**
 * Returns the conversation of an agent's file. No file links an agent to its call: its prompt does, and the report of
 * one of several with that prompt.
 */
function placeAgent(agentId: string, file: StoredFile, context: ClineContext): string | undefined {
  const known = conversationOf(agentId, context)
  if (known !== undefined) return known
  const [first] = file.messages
  if (!first) return undefined
  const prompt = textIn(first)
  const report = textIn(file.messages.at(-1))
  const call =
    context.state.firstAgentOfPrompt(prompt, ({ output }) => output === report) ??
    context.state.firstAgentOfPrompt(prompt)
  const toolUseId = call?.toolUseId ?? agentId
  const isTeammate = file.role === TEAMMATE
  context.emit({
    type: 'subagent:spawned',
    conversationId: call?.parentConversationId ?? MAIN,
    toolUseId,
    agentId,
    prompt,
    subagentType: isTeammate ? TEAMMATE : SUBAGENT,
    description: isTeammate ? file.name : undefined,
    timestamp: call ? undefined : first.time,
  })
  return toolUseId
}

function textIn(message: StoredMessage | undefined): string {
  return message?.parts.map(({ text }) => asString(text) ?? '').join('') ?? ''
}

function translateUser({ id, time, parts }: StoredMessage, walk: Walk, context: ClineContext): void {
  const { conversationId } = walk
  for (const part of parts) {
    const { type, tool_use_id: callId, name, content: result, is_error: isRefused } = part
    if (type !== 'tool_result' || typeof callId !== 'string') continue
    endCall(
      conversationId,
      { id: callId, name: asString(name) ?? '', result, isRefused: isRefused === true, time },
      context,
    )
  }
  const content = userContent(parts.flatMap(readPart))
  if (content === undefined) return
  const blockId = walk.hasPrompt ? id : firstPromptId(conversationId)
  Object.assign(walk, { place: blockId, replies: 0, hasPrompt: true })
  const isNotice = typeof content === 'string' && content.startsWith('System-delivered ')
  const origin = isNotice ? { origin: 'notification' as const } : {}
  const isNew = context.state.findBlock(conversationId, blockId) === undefined
  const beginsTurn = isNew && conversationId === MAIN && isLast(time, context.state)
  if (isNew && isNotice) endReportedRuns(content, time, context)
  // The program goes on by itself, and the other teammates work on.
  if (beginsTurn && isNotice) context.turn.begin(time)
  else if (beginsTurn) beginTurn(time, context)
  const block: UserMessageBlock = {
    type: 'user_message',
    id: blockId,
    conversationId,
    status: 'complete',
    content,
    ...origin,
  }
  show(conversationId, { ...block, timestamp: time }, context)
}

/** Ends the runs of teammates that a notice reports: `- <run> (<teammate>) -> <status> error=<words>`. */
function endReportedRuns(notice: string, timestamp: string | undefined, output: SessionOutput): void {
  for (const [, name, status = '', words = ''] of notice.matchAll(/^- \S+ \((.+?)\) -> (\w+)(.*)$/gm)) {
    const run = output.state
      .openAgents()
      .find((agent) => agent.name === TEAMMATE && agent.description === name)
    const error = / error=(.*)$/.exec(words)?.[1]
    const isError = outcomeOf(status) !== 'finished'
    if (run && (isError || status === 'completed'))
      endAgent(run.toolUseId, { isError, output: error, timestamp }, output)
  }
}

/** Whether main has no block of a later time. */
function isLast(time: string | undefined, state: SessionLookups): boolean {
  const last = state.blocksOf(MAIN).findLast(({ timestamp }) => timestamp !== undefined)?.timestamp
  return time === undefined || last === undefined || time >= last
}

/** The words of a person have a mark around them. */
function readPart({ type, text, source, data, mediaType }: JsonObject): readonly UserContentPart[] {
  if (type === 'text' && typeof text === 'string')
    return [{ type, text: /^<user_input mode="[^"]*">([\s\S]*)<\/user_input>$/.exec(text)?.[1] ?? text }]
  if (type !== 'image') return []
  const { data: bytes = data, media_type = mediaType } = asObject(source)
  if (typeof bytes !== 'string') return []
  return [{ type, source: { type: 'base64', mediaType: asString(media_type) ?? 'image/png', data: bytes } }]
}

function translateReply(message: StoredMessage, walk: Walk, context: ClineContext): void {
  const { conversationId } = walk
  const { parts, time: timestamp, tokens, model } = message
  if (parts.length === 0 && !tokens) return
  const messageId = `${walk.place}:${walk.replies}`
  walk.replies += 1
  walk.reply = messageId
  const counts = { assistant_text: 0, thinking: 0 }
  const showWords = (type: 'assistant_text' | 'thinking', content: unknown) => {
    if (typeof content !== 'string' || content === '') return
    const id = textId(messageId, type, counts[type])
    counts[type] += 1
    show(conversationId, { type, id, status: 'complete', content, messageId, timestamp }, context)
  }
  for (const { type, text, thinking, id, name, input } of parts) {
    if (type === 'thinking') showWords('thinking', thinking)
    else if (type === 'text') showWords('assistant_text', text)
    else if (type === 'tool_use' && typeof id === 'string') {
      startCall(
        conversationId,
        { id, name: asString(name) ?? '', input: input ?? {}, messageId, time: timestamp },
        context,
      )
      Object.assign(walk, { place: id, replies: 0 })
    }
  }
  if (tokens) reportTokens(conversationId, { messageId, model, tokens }, context)
  if (model !== undefined && conversationId === MAIN) context.updateFacts({ model })
}

/** The program's words about an error stand in the model's place. */
function translateError(
  message: StoredMessage,
  { conversationId, place, replies }: Walk,
  output: SessionOutput,
): void {
  const error = { id: `${place}:${replies}:error`, message: textIn(message), timestamp: message.time }
  show(conversationId, errorBlock(error), output)
}

/** A file whose last message is a reply without calls is that of an agent that has ended, or of a turn that is answered. */
function endFile({ messages }: StoredFile, conversationId: string, session: SessionOutput): void {
  const last = messages.at(-1)
  if (!last || last.isUser || last.parts.some(({ type }) => type === 'tool_use')) return
  const { isError, time: timestamp } = last
  const text = textIn(last)
  if (conversationId !== MAIN) {
    // A notice in main's file states no report.
    const { status, output } = session.state.findAgent(conversationId) ?? {}
    if (!session.state.hasEnded(conversationId) || (status === 'success' && output === undefined))
      endAgent(conversationId, { isError, output: text, timestamp }, session)
  } else if (session.state.turn.status === 'running' && isLast(timestamp, session.state)) {
    if (isError) session.turn.end({ outcome: 'failed', error: text, timestamp })
    else session.turn.answer({ timestamp })
  }
}
