import {
  asArray,
  asFiniteNumber,
  asObject,
  asString,
  isString,
  type JsonObject,
} from '../../core/json/values.ts'
import { toolResultBlockId } from '../../core/state/block.ts'
import { MAIN, type TokenUsage } from '../../core/state/session.ts'
import { type Part, readParts, resultsIn, textIn } from '../../programs/gemini/parts.ts'
import { notifiedEnd } from '../../programs/qwen/tool-result.ts'
import { type TokenFields, tokensIn } from '../../programs/token-fields.ts'
import type { Memory } from '../../reading/context.ts'
import type { SessionLookups } from '../../reading/lookups.ts'
import { abandonFrom, endAgent } from '../kit/abandon.ts'
import { compactionBlocks, reportUsage } from '../kit/blocks.ts'
import { conversationOf, endLeftAgents } from './agents.ts'
import { showCall, showResult } from './calls.ts'
import type { StoredRecord, StreamPiece } from './messages.ts'
import type { QwenContext } from './notes.ts'
import { beginMessage, currentMessage, endMessage, takeBlockId } from './place.ts'
import { showDecision } from './requests.ts'
import { beginText, extendText, showError, showText } from './text.ts'
import {
  contentOfParts,
  failTurn,
  interrupt,
  noteAnswer,
  showAgentPrompt,
  showNotification,
  showPrompt,
} from './turn.ts'

/** Translates a record of a file. A copy of a record, as a fork begins with, adds nothing. */
export function translateRecord(record: StoredRecord, context: QwenContext): void {
  if (context.notes.values.records.get(record.uuid) !== undefined) return
  const { agentId, agentName } = record
  const conversationId = agentId === undefined ? MAIN : conversationOf(agentId, agentName, context)
  if (agentId === undefined) {
    context.addMissingFacts({ cwd: record.cwd })
    if (record.model !== undefined) context.updateFacts({ model: record.model })
  }
  const isOld = isInState(conversationId, record, context)
  if (!isOld) translateContent(conversationId, record, context)
  context.notes.setEntry(
    'records',
    record.uuid,
    conversationId === MAIN ? lastBlockId(isOld ? record.time : undefined, context.state) : '',
  )
}

/** Whether the state that the session goes on from has the record. No block has the ids of records, so its time shows that. */
function isInState(
  conversationId: string,
  { time, parts }: StoredRecord,
  memory: Memory<QwenContext>,
): boolean {
  const until = memory.notes.values.knownUntil.get(conversationId)
  if (until === undefined || time === undefined || time > until) return false
  // Calls and results of one time may be more than one.
  const isNew = (part: Part) =>
    (part.type === 'call' || part.type === 'response') && !isShown(conversationId, part, memory.state)
  return !parts?.some(isNew)
}

function isShown(
  conversationId: string,
  { type, id }: Extract<Part, { readonly type: 'call' | 'response' }>,
  state: SessionLookups,
): boolean {
  if (id === undefined || state.isAbandoned(id)) return true
  if (state.agentOfCall(id)?.parentConversationId === conversationId)
    return type === 'call' || state.hasEnded(id)
  return state.findBlock(conversationId, type === 'call' ? id : toolResultBlockId(id)) !== undefined
}

/** Returns the id of main's last block, up to that time. */
function lastBlockId(time: string | undefined, state: SessionLookups): string {
  const blocks = state.blocksOf(MAIN)
  const last =
    time === undefined
      ? blocks.at(-1)
      : blocks.findLast(({ timestamp }) => timestamp !== undefined && timestamp <= time)
  return last?.id ?? ''
}

function translateContent(conversationId: string, record: StoredRecord, context: QwenContext): void {
  switch (record.type) {
    case 'user':
      return translateUser(conversationId, record, context)
    case 'assistant':
      return translateReply(conversationId, record, context)
    case 'tool_result':
      return translateResult(conversationId, record, context)
    case 'system':
      return translateSystem(conversationId, record, context)
    default:
      return context.reportUnknown('unknown-message', record.type)
  }
}

function translateUser(conversationId: string, record: StoredRecord, context: QwenContext): void {
  const { parts = [], payload, subtype, time } = record
  // The model gets other words than the person has typed behind a command.
  const shown = subtype === 'notification' ? asString(payload.displayText) : undefined
  const content = shown ?? contentOfParts(parts)
  if (content === undefined) return
  const end = subtype === 'notification' ? notifiedEnd(textIn(parts)) : undefined
  if (end) {
    const agent = context.state.findAgent(end.toolUseId ?? '') ?? context.state.findAgent(end.agentId ?? '')
    const { status, output, durationMs } = end
    const facts = { isError: status === 'error', output, durationMs, timestamp: time }
    if (agent) endAgent(agent.toolUseId, facts, context)
  }
  if (subtype === 'notification') return showNotification(conversationId, content, time, context)
  if (conversationId !== MAIN) return showAgentPrompt(conversationId, content, time, context)
  if (isRestored(parts)) endLeftAgents(context)
  showPrompt({ content, time, isFromFile: true }, context)
}

/** A new process tells the model of the agents that the last one has left. */
function isRestored(parts: readonly Part[]): boolean {
  const [first] = parts
  return (
    first?.type === 'text' && /^<system-reminder>\n\d+ background agents? w(as|ere) restored/.test(first.text)
  )
}

/** A record of main is a whole reply. In an agent's file, the calls of a reply are records of their own behind that with its tokens. */
function translateReply(conversationId: string, record: StoredRecord, context: QwenContext): void {
  const { parts = [], usage, model, time, agentId, runId, round } = record
  const isBuilt = context.notes.values.openTexts.get(conversationId) !== undefined
  if (!isBuilt && (agentId === undefined || usage)) beginMessage(conversationId, context)
  if (runId !== undefined && round !== undefined) context.notes.setEntry('rounds', runId, round)
  const messageId = currentMessage(conversationId, context)
  const texts = joinedTexts(parts)
  for (const part of texts) {
    if (part.type === 'text')
      showText(conversationId, { isThought: part.isThought, text: part.text, time, model }, context)
    else if (part.type === 'call' && part.id !== undefined)
      showCall(conversationId, { id: part.id, name: part.name, input: part.input, time }, context)
  }
  const tokens = usage && usageOf(usage)
  if (tokens) reportUsage(conversationId, { messageId, usage: tokens, model }, context)
  if (conversationId !== MAIN) return
  endMessage(MAIN, context)
  const isWhole = tokens !== undefined || !record.hasProvenance || context.notes.values.isAnswered === true
  context.notes.remember({ isAnswered: undefined })
  if (texts.some(({ type }) => type === 'call')) return
  if (!isWhole) return interrupt(time, context)
  noteAnswer(true, time, context)
  context.turn.settle()
}

/** Joins texts that follow each other: the pieces of a stream. */
function joinedTexts(parts: readonly Part[]): readonly Part[] {
  const joined: Part[] = []
  for (const part of parts) {
    const last = joined.at(-1)
    if (part.type === 'text' && last?.type === 'text' && last.isThought === part.isThought)
      joined[joined.length - 1] = { ...last, text: last.text + part.text }
    else joined.push(part)
  }
  return joined
}

/** The API counts thoughts in the output. */
const TOKENS: TokenFields = {
  inputTokens: 'promptTokenCount',
  outputTokens: 'candidatesTokenCount',
  cacheReadTokens: 'cachedContentTokenCount',
  reasoningTokens: 'thoughtsTokenCount',
  holdsCached: true,
  omitsZeros: true,
}

/** Returns the tokens of a reply. */
function usageOf(usage: JsonObject): TokenUsage | undefined {
  const tokens = tokensIn(usage, TOKENS)
  return Object.keys(tokens).length === 0 ? undefined : tokens
}

function translateResult(conversationId: string, record: StoredRecord, context: QwenContext): void {
  const { parts = [], result, time } = record
  endMessage(conversationId, context)
  for (const { response, id, name: toolName, output } of resultsIn(parts)) {
    if (id === undefined) continue
    showResult(
      conversationId,
      {
        id,
        toolName,
        output,
        isError: response.error !== undefined || result.status === 'error' || result.status === 'cancelled',
        record: asObject(result.resultDisplay),
        durationMs: asFiniteNumber(result.durationMs),
        time,
      },
      context,
    )
  }
}

function translateSystem(conversationId: string, record: StoredRecord, context: QwenContext): void {
  switch (record.subtype) {
    case 'ui_telemetry':
      return translateTelemetry(record, asObject(record.payload.uiEvent), context)
    case 'chat_compression':
      return showCompaction(conversationId, record, context)
    case 'rewind':
      return rewind(record, context)
  }
}

/** The program's own account of its requests and calls. It repeats what other records have, apart from failures and decisions. */
function translateTelemetry(record: StoredRecord, event: JsonObject, context: QwenContext): void {
  const { call_id, decision, prompt_id, subagent_id } = event
  const isMain =
    subagent_id === undefined &&
    isString(prompt_id) &&
    (prompt_id.startsWith(`${record.sessionId}###`) || MAIN_PROMPT.test(prompt_id))
  switch (event['event.name']) {
    case 'qwen-code.api_response':
      if (isMain) context.notes.remember({ isAnswered: true })
      return
    case 'qwen-code.api_error': {
      const message = asString(event.error_message ?? event.error) ?? ''
      if (isMain) return failTurn(message, record.time, context)
      const agent = isString(subagent_id) ? context.state.findAgent(subagent_id) : undefined
      if (agent) showError(agent.toolUseId, message, record.time, context)
      return
    }
    case 'qwen-code.tool_call':
      if (isString(call_id) && (decision === 'accept' || decision === 'reject'))
        showDecision(call_id, { isAllowed: decision === 'accept', time: record.time }, context)
  }
}

/** The id of a prompt of `-p` in early versions. Those of agents begin with the session's id. */
const MAIN_PROMPT = /^[0-9a-f]{8,14}$/

function showCompaction(conversationId: string, record: StoredRecord, context: QwenContext): void {
  const { payload, time: timestamp } = record
  const id = takeBlockId(conversationId, context)
  const [first] = asArray(payload.compressedHistory).map(asObject)
  const summary = textIn(readParts(first?.parts))
  for (const block of compactionBlocks({ id, summary, timestamp })) context.upsert(conversationId, block)
}

/** Moves all that came after a record to a branch: the person has gone back. */
function rewind({ uuid, parentUuid, time: timestamp }: StoredRecord, context: QwenContext): void {
  const kept = parentUuid === undefined ? '' : context.notes.values.records.get(parentUuid)
  if (kept === undefined) return context.reportUnknown('unplaced-message', 'rewind')
  const blocks = context.state.blocksOf(MAIN)
  const at = kept === '' ? 0 : blocks.findIndex(({ id }) => id === kept) + 1
  if (at >= blocks.length) return
  context.turn.endAnswered()
  abandonFrom(at, { id: `rewind:${uuid}`, timestamp }, context)
  context.notes.removeEntry('places', MAIN)
}

/** Translates a piece of an agent's text as it came. The agent's own file has all texts that are whole. */
export function translatePiece(piece: StreamPiece, context: QwenContext): void {
  const { agentId, runId, round, isThought } = piece
  const conversationId = conversationOf(agentId, undefined, context)
  if (round <= (context.notes.values.rounds.get(runId) ?? 0) || isRepeatedPiece(piece, context.notes)) return
  const open = context.notes.values.openTexts.get(conversationId)
  const built = open && context.state.findBlock(conversationId, open.id)
  if (!open) endMessage(conversationId, context)
  if (!open || (built && (built.type === 'thinking') !== isThought)) beginText(conversationId, context)
  extendText(conversationId, piece, context)
}

/** Whether the piece has come before. It notes the piece if not. Two pieces of one time have other words. */
function isRepeatedPiece({ runId, time, text }: StreamPiece, notes: QwenContext['notes']): boolean {
  if (time === undefined) return false
  const last = notes.values.lastPieces.get(runId)
  if (last && (time < last.time || (time === last.time && text === last.text))) return true
  notes.setEntry('lastPieces', runId, { time, text })
  return false
}
