import { timeInMs } from '../../core/json/lists.ts'
import { asArray, asObject, asString, isObject, type JsonObject } from '../../core/json/values.ts'
import {
  type ConversationBlock,
  isInterruption,
  isModelText,
  isPrompt,
  messageIdOf,
} from '../../core/state/block.ts'
import { numberedId } from '../../core/state/numbered-id.ts'
import { MAIN, type SessionConversationState } from '../../core/state/session.ts'
import { programOfEvent } from '../../programs/all.ts'
import { isRetried } from '../../programs/pi/agent-runs.ts'
import { PI } from '../../programs/pi/program.ts'
import { type InputEnd, type Memory, type SessionOutput, typeName } from '../../reading/context.ts'
import { defineSource } from '../../reading/define-source.ts'
import type { MainTurn } from '../../reading/main-turn.ts'
import type { Source } from '../../reading/source.ts'
import { isFromClient, unwrapLogLine } from '../kit/lines.ts'
import { noteReusedIds } from '../kit/reused-ids.ts'
import { waitForAgent } from './agents.ts'
import { showCommand, showCompaction, translateMessage, translateStoredNote } from './blocks/message.ts'
import { addCost, beginReply, forgetStream, openReply, updateReply } from './blocks/reply.ts'
import { translateExecution } from './blocks/result.ts'
import { piRules } from './format.ts'
import { type Line, type PiMessage, readMessage } from './messages.ts'
import { NOTES, PiContext } from './notes.ts'
import { translateAnswer, translateRequest } from './requests.ts'
import {
  blocksOfEntry,
  forkBefore,
  isEntry,
  translateAgentEntry,
  translateEntry,
  translateLeaf,
} from './tree.ts'

// A line takes one of these ways:
// - `tree` places an entry of a file, and `translate` reads its type
// - `blocks/` translates messages, replies that stream, and results
// - `agents` translates the agents that a result shows, and `requests` the dialogs of extensions

/**
 * Reads four forms of a session of Pi, and of the programs that share its format (Oh My Pi, OpenClaw):
 * - the lines of `--mode json`
 * - the lines of `--mode rpc`, alone or in a log of both directions: `{ dir, msg }`
 * - its files, of version 1 to 3
 * - the files of its agents, beside those of main
 */
export const piSource: Source = /* @__PURE__ */ defineSource({
  transcripts: piRules,
  notes: NOTES,
  begin: (session) => new PiContext(session, { message: translateMessage, line: translateLine }),
  translate,
  end,
  open,
})

function translate(message: unknown, context: PiContext): void {
  const read = context.read(message)
  if (!isObject(read)) return context.reportUnknown('unknown-message', 'no object')
  const line = unwrapLogLine(read)
  // Only a client answers, so an answer needs no envelope that says so.
  if (isFromClient(read) || line.type === 'extension_ui_response') translateCommand(line, context)
  else translateLine(line, context)
  context.nameSession({ program: PI })
}

function end(context: PiContext): InputEnd {
  return context.endInput({ unplaced: context.notes.values.waiting.entries().map(([agentId]) => agentId) })
}

/** Makes the notes that are needed to go on from a state. A state holds no places of entries, so it shows no later rewind. */
function open(state: SessionConversationState, context: PiContext): void {
  const { turn, blocks } = state
  noteReusedIds(state, context.notes)
  context.notes.remember({ streaming: openReply(context.state), lastMessage: placeOf(blocks) })
  if (turn.status !== 'running' || context.notes.values.streaming) return
  const last = blocks.at(-1)
  if (last?.type === 'error') context.turn.answer({ outcome: 'failed', error: last.message })
  else if (last && isInterruption(last)) context.turn.answer({ outcome: 'interrupted' })
  else if (last?.type === 'assistant_text' && last.status === 'complete')
    context.turn.answer({ outcome: 'finished' })
}

/** Returns the last message, by its time in ms: that is the id of a message, and a block of it has the same time as ISO 8601. */
function placeOf(blocks: readonly ConversationBlock[]): PiContext['notes']['values']['lastMessage'] {
  const last = blocks.findLast((block) => isPrompt(block) || isOfModel(block))
  const id = last && (messageIdOf(last) ?? String(timeInMs(last.timestamp)))
  return id === undefined ? undefined : { id, isLive: false }
}

/** Whether the block is the model's or its result. A command of the person is neither. */
function isOfModel(block: ConversationBlock): boolean {
  if (block.type === 'tool_result') return !block.toolUseId.startsWith('command:')
  return messageIdOf(block) !== undefined
}

/** Translates a line of the program, or of the file of one of its agents. */
function translateLine(raw: JsonObject, context: PiContext): void {
  const type = typeName(raw.type)
  const agentId = asString(raw.agentId)
  const agent =
    agentId === undefined
      ? undefined
      : (context.state.findAgent(agentId)?.toolUseId ?? context.notes.values.agentFiles.get(agentId))
  const program = programOfEvent('pi', type)
  if (program !== undefined && context.state.facts.program !== program) context.updateFacts({ program })
  if (agentId !== undefined && agent === undefined) return waitForAgent(agentId, raw, context.notes)
  if (context.notes.values.isElsewhere && type !== 'response' && type !== 'session' && !isEntry(raw))
    return context.reportUnknown('other-session', type)
  const line = { type, raw, conversationId: agent ?? MAIN }
  const translate = () => translateType(line, context)
  if (!isEntry(raw)) translate()
  else if (agent === undefined) translateEntry(raw, translate, context)
  else translateAgentEntry(agent, raw, translate, context)
}

function translateType(line: Line, context: PiContext): void {
  const { type, raw, conversationId } = line
  switch (type) {
    case 'session':
      return conversationId === MAIN ? readHeader(raw, context) : undefined
    case 'message':
    case 'message_end':
      return translateWhole(line, context)
    case 'message_start': {
      const reply = messageOf(line, context)
      if (reply?.role === 'assistant') beginReply(reply, context)
      return
    }
    case 'message_update':
      return updateReply(raw, context)
    case 'tool_execution_start':
    case 'tool_execution_update':
    case 'tool_execution_end':
      return translateExecution(line, context)
    case 'custom_message':
    case 'branch_summary':
      return translateStoredNote(conversationId, raw, context)
    case 'compaction':
      return showCompaction(conversationId, raw, context)
    case 'compaction_end':
      return showCompaction(conversationId, asObject(raw.result), context)
    case 'context_edit':
      return takeBackReply(conversationId, raw, context)
    case 'entry_appended':
      return takeBackLive(asObject(raw.entry), context)
    case 'agent_end':
      return endRun(raw, context.turn)
    case 'agent_settled':
      return context.turn.endAnswered()
    case 'auto_retry_start':
      // After an error, which its own block shows, the turn goes on.
      return context.notes.values.answer?.outcome === 'failed' ? context.turn.start() : undefined
    case 'auto_retry_end':
      return raw.success === false ? context.turn.endAnswered() : undefined
    case 'extension_ui_request':
      return translateRequest(raw, context)
    case 'response':
      return readResponse(raw, context)
    case 'leaf':
      return translateLeaf(raw, context)
    case 'model_change':
      return readModel(line, context)
    case 'usage':
      return addCost(raw.usage, context)
    default:
      if (!IGNORED_TYPES.has(type) && programOfEvent('pi', type) === undefined)
        context.reportUnknown('unknown-message', type)
  }
}

/** Pi's lines that add nothing to a conversation: the ends of messages have all that the first ones repeat. */
const IGNORED_TYPES: ReadonlySet<string> = new Set([
  'agent_start',
  'bash_execution_update',
  'compaction_start',
  'custom',
  'extension_error',
  'label',
  'queue_update',
  'session_info',
  'session_info_changed',
  'thinking_level_change',
  'thinking_level_changed',
  'turn_end',
  'turn_start',
])

function readHeader({ id, cwd }: JsonObject, output: SessionOutput): void {
  output.updateFacts({ id: asString(id), cwd: asString(cwd) })
}

/** Oh My Pi writes the provider and the model as one text. */
function readModel({ conversationId, raw: { modelId, model } }: Line, output: SessionOutput): void {
  const name = asString(modelId) ?? asString(model)?.replace(/^[^/]*\//, '')
  if (conversationId === MAIN && name !== undefined) output.updateFacts({ model: name })
}

function messageOf({ conversationId, raw }: Line, output: SessionOutput): PiMessage | undefined {
  const count = output.state.blocksOf(conversationId).length
  const message = readMessage(raw.message, numberedId(count))
  if (!message) output.reportUnknown('unknown-message', `${typeName(raw.type)} without a message`)
  return message
}

function translateWhole(line: Line, context: PiContext): void {
  const message = messageOf(line, context)
  if (!message) return
  if (line.conversationId === MAIN && message.role === 'assistant') forgetStream(context.notes)
  if (line.conversationId === MAIN && PLACES.has(message.role)) notePlace(message, line, context.notes)
  translateMessage(line.conversationId, message, context)
  // Only a file has messages as entries, and no entry ends a turn.
  if (line.type === 'message') context.turn.settle()
}

/**
 * Notes the latest message, which is the place of a person's command. A stream begins again after a history, and may
 * repeat earlier messages.
 */
function notePlace({ id }: PiMessage, { type }: Line, notes: PiContext['notes']): void {
  const { lastMessage } = notes.values
  const isLive = type === 'message_end'
  if (lastMessage?.isLive === isLive && Number(lastMessage.id) > Number(id)) return
  notes.remember({ lastMessage: { id, isLive } })
}

/** The roles of messages that are in a stream and in a file. */
const PLACES: ReadonlySet<string> = new Set(['user', 'assistant', 'toolResult'])

/**
 * Ends the turn if nothing can follow the run. From 0.85 on, `agent_settled` comes at the end of all retries and
 * further messages. Before, a run with an error that the program retries may go on.
 */
function endRun({ willRetry, isTerminal, messages }: JsonObject, turn: MainTurn): void {
  const isLast = isTerminal ?? willRetry === undefined
  if (isLast !== true) return
  const { stopReason, errorMessage } = asObject(asArray(messages).at(-1))
  if (isTerminal === true || stopReason !== 'error' || !isRetried(asString(errorMessage) ?? ''))
    turn.endAnswered()
}

/** Reads what a client of `--mode rpc` sends. */
function translateCommand(raw: JsonObject, context: PiContext): void {
  if (context.notes.values.isElsewhere) return
  if (raw.type === 'extension_ui_response') return translateAnswer(raw, context)
  if (raw.type === 'bash' && typeof raw.command === 'string')
    context.notes.setEntry('commands', asString(raw.id) ?? '', raw.command)
}

/** Leaves the session, if it has begun: the next lines are of another one. A client may choose a session before its first prompt. */
function leaveSession(context: PiContext): void {
  if (context.state.blocksOf(MAIN).length === 0) return context.notes.remember({ isElsewhere: undefined })
  context.turn.endAnswered()
  context.notes.remember({ isElsewhere: true })
}

function readResponse({ id, command, success, data }: JsonObject, context: PiContext): void {
  const key = asString(id) ?? ''
  const facts = asObject(data)
  if (command === 'new_session' || command === 'switch_session') {
    if (success === true && facts.cancelled !== true) leaveSession(context)
    return
  }
  // The client may come back to the session.
  if (command === 'get_state' && facts.sessionId === context.state.facts.id)
    context.notes.remember({ isElsewhere: undefined })
  if (context.notes.values.isElsewhere) return
  if (command === 'fork' && success === true && facts.cancelled !== true)
    return forkBefore(facts.text, key, context)
  if (command === 'get_state') return readHeader({ id: facts.sessionId }, context)
  const typed = command === 'bash' ? context.notes.values.commands.get(key) : undefined
  const done = context.notes.keyOf(key, typed ?? '')
  if (typed === undefined || success !== true || context.notes.values.doneCommands.get(done)) return
  context.notes.setEntry('doneCommands', done, true)
  showCommand({ ...facts, command: typed }, context)
}

// The program leaves a reply that broke off out of the next request (`context_edit`). Its texts stay, with the status `error`. Its
// calls are gone already: none of them has run.

/** Takes back the texts of a reply. An edit may name any entry of a file. */
function takeBackReply(conversationId: string, edit: JsonObject, context: PiContext): void {
  const { targetId, parentId, replacement } = edit
  if (typeof targetId !== 'string' || replacement !== null) return
  const known = blocksOfEntry(conversationId, targetId, context)
  // A stream and a state alone name no entries. The program itself takes back the last one, and an extension any other.
  const ids = known.length > 0 || targetId !== parentId ? known : latestReply(conversationId, edit, context)
  for (const id of ids) takeBack(conversationId, id, context)
}

/** Takes back the texts of a reply in a stream. A file that was read before has the edit itself. */
function takeBackLive(edit: JsonObject, context: PiContext): void {
  const isRead = context.notes.values.entries.get(asString(edit.id) ?? '') !== undefined
  if (edit.type === 'context_edit' && !isRead) takeBackReply(MAIN, edit, context)
}

/** Returns the ids of the blocks of the last reply before the edit. */
function latestReply(
  conversationId: string,
  { timestamp }: JsonObject,
  { state }: Memory<PiContext>,
): readonly string[] {
  const time = timeInMs(asString(timestamp) ?? '')
  const last = state
    .blocksOf(conversationId)
    .findLast((block) => block.timestamp !== undefined && !(timeInMs(block.timestamp) > time))
  if (!last) return []
  // The way in which a reply ended has a block with the id of the reply.
  const messageId = messageIdOf(last) ?? last.id.replace(/:(?:error|interruption)$/, '')
  return [...state.blocksOfMessage(conversationId, messageId)].map(({ id }) => id)
}

function takeBack(conversationId: string, blockId: string, output: SessionOutput): void {
  const block = output.state.findBlock(conversationId, blockId)
  if (isModelText(block) && block.status !== 'error')
    output.upsert(conversationId, { ...block, status: 'error' })
}
