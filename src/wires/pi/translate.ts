import { asArray, asObject, asString, type JsonObject } from '../../core/json/values.ts'
import { numberedId } from '../../core/state/numbered-id.ts'
import { MAIN } from '../../core/state/session.ts'
import { programOfEvent } from '../../programs/all.ts'
import { isRetried } from '../../programs/pi/agent-runs.ts'
import type { SessionOutput } from '../../reading/context.ts'
import { typeName } from '../../reading/context.ts'
import type { MainTurn } from '../../reading/main-turn.ts'
import { waitForAgent } from './agents.ts'
import { showCommand, showCompaction, translateMessage, translateStoredNote } from './blocks/message.ts'
import { addCost, beginReply, forgetStream, updateReply } from './blocks/reply.ts'
import { translateExecution } from './blocks/result.ts'
import { takeBackLive, takeBackReply } from './blocks/taken-back.ts'
import { type Line, type PiMessage, readMessage } from './messages.ts'
import type { PiContext } from './notes.ts'
import { translateAnswer, translateRequest } from './requests.ts'
import { forkBefore, isEntry, translateAgentEntry, translateEntry, translateLeaf } from './tree.ts'

/** Translates a line of the program, or of the file of one of its agents. */
export function translateLine(raw: JsonObject, context: PiContext): void {
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
    case 'message_start':
      return translateStart(line, context)
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
      return retry(context)
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

function translateStart(line: Line, context: PiContext): void {
  const message = messageOf(line, context)
  if (message?.role === 'assistant') beginReply(message, context)
}

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

/** The program tries again after an error, which its own block shows. The turn goes on. */
function retry(context: PiContext): void {
  if (context.notes.values.answer?.outcome === 'failed') context.turn.start()
}

/** Reads what a client of `--mode rpc` sends. */
export function translateCommand(raw: JsonObject, context: PiContext): void {
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
