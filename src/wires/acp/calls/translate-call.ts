import { isEqual } from '../../../core/json/equal.ts'
import { omitUndefined, withChanges } from '../../../core/json/fields.ts'
import { asArray, asObject, asString, type JsonObject } from '../../../core/json/values.ts'
import type { BlockOf } from '../../../core/state/block.ts'
import { plainOutput } from '../../../core/state/content.ts'
import { readTodos } from '../../../core/state/todo.ts'
import type { AgentsCall, ProgramReader } from '../../../programs/reader.ts'
import { type SessionOutput, typeName } from '../../../reading/context.ts'
import { COMPACTED, callBlock, noteBlock, resultBlock, statusOf } from '../../kit/blocks.ts'
import { tracedRequest } from '../../kit/requests.ts'
import { addLateEnd, isAgentCall, showAgentCall } from '../agents/agent-call.ts'
import { endNamedAgent } from '../agents/run.ts'
import { repeatItem } from '../blocks/joint.ts'
import { closeText } from '../blocks/text.ts'
import { showBufferedMessage } from '../blocks/user.ts'
import type { AcpContext, AcpMemory } from '../context.ts'
import {
  type Call,
  type CallUpdate,
  findCallAnywhere,
  hasEnded,
  isFinalStatus,
  newCall,
  readCallUpdate,
  rememberCall,
  resultOf,
  shownCall,
} from './call.ts'
import { changesOf, inputOf, outputOf, ownResult } from './result.ts'

/** Translates an update of a call: its start, a change, or its end. */
export function translateCall(
  known: Call,
  { update, isNew }: { readonly update: CallUpdate; readonly isNew: boolean },
  context: AcpContext,
): void {
  const { conversationId } = known
  if (!isNew && hasEnded(known, context)) {
    repeatItem(conversationId, known.id, context)
    return addLateFacts(known, update, context)
  }
  if (isNew) {
    showBufferedMessage(conversationId, context)
    closeText(conversationId, context)
    context.notes.removeEntry('joints', conversationId)
  }
  for (const type of unknownContent(update.fields))
    context.reportUnknown('unknown-block', `tool_call/${type}`)
  const call = mergeUpdate(known, update, context)
  rememberCall(call, context.notes)
  if (isNew && !isFinalStatus(call.fields.status)) context.noteWork(conversationId)
  showCall(call, isNew ? undefined : known, context)
}

/** The fields of a call that a request for its permission may be the only one to have. */
const FIELDS_OF_REQUEST = ['rawInput', 'content', 'locations'] as const

/** Shows the call of a request for a permission. The request may come before the call's own updates, and may have fields that they lack. */
export function addFactsOfRequest(conversationId: string, toolCall: JsonObject, context: AcpContext): void {
  const update = readCallUpdate(toolCall)
  if (!update) return
  const known = findCallAnywhere(update.id, context)
  if (!known && context.reader.announcesCalls) return
  if (!known) return translateCall(newCall(conversationId, update.id), { update, isNew: true }, context)
  const missing = FIELDS_OF_REQUEST.filter(
    (name) => isEmpty(known.fields[name]) && !isEmpty(update.fields[name]),
  )
  if (missing.length === 0 || known.role !== 'tool' || hasEnded(known, context)) return
  const fields = Object.fromEntries(missing.map((name) => [name, update.fields[name]]))
  translateCall(known, { update: { id: update.id, fields }, isNew: false }, context)
}

function isEmpty(value: unknown): boolean {
  return value === undefined || (Array.isArray(value) ? value.length === 0 : isEqual(value, {}))
}

/** Returns the types of the contents that no block shows. */
function unknownContent({ content }: JsonObject): readonly string[] {
  return asArray(content)
    .map((part) => typeName(asObject(part).type))
    .filter((type) => !CONTENT_TYPES.has(type))
}

const CONTENT_TYPES: ReadonlySet<string> = new Set(['content', 'diff', 'session', 'terminal'])

function mergeUpdate(known: Call, update: CallUpdate, context: AcpContext): Call {
  const fields = withChanges(known.fields, newFields(known.fields, update.fields, context.reader))
  const toolName = toolNameOf({ id: known.id, toolName: known.toolName, fields }, update, context)
  const terminal = joinOutput(known.terminal, update.terminal)
  const response = update.response ?? known.response
  const call = omitUndefined(withChanges(known, { toolName, fields, terminal, response }))
  return { ...call, role: roleOf(call, context) }
}

/** Returns the fields of an update without those whose first values stay. */
function newFields(known: JsonObject, fields: JsonObject, { firstFields = [] }: ProgramReader): JsonObject {
  const kept = firstFields.filter((name) => known[name] !== undefined)
  return kept.length === 0
    ? fields
    : Object.fromEntries(Object.entries(fields).filter(([name]) => !kept.includes(name)))
}

/** Returns the name of a call's tool: that of the update, or else the one that the program's reader finds, or the kind of the call. */
function toolNameOf(
  known: Pick<Call, 'id' | 'toolName' | 'fields'>,
  { fields, metaName, meta }: CallUpdate,
  { reader }: AcpMemory,
): string {
  const stated = metaName ?? asString(fields.name)
  if (stated !== undefined) return stated
  const call = shownCall(known, meta)
  return reader.toolName?.(call) ?? call.toolName ?? call.kind ?? 'other'
}

function joinOutput(known: string | undefined, more: string | undefined): string | undefined {
  return more === undefined ? known : (known ?? '') + more
}

/** A call that starts an agent is the agent's block. A compaction is a note. */
function roleOf(call: Call, memory: AcpMemory): Call['role'] {
  if (call.role !== 'tool') return call.role
  if (call.toolName === memory.reader.compactionTool) return 'compaction'
  return isAgentCall(call, memory) ? 'agent' : 'tool'
}

export function showCall(call: Call, known: Call | undefined, context: AcpContext): void {
  switch (call.role) {
    case 'agent':
      return showAgentCall(call, known, context)
    case 'compaction':
      return showCompactionCall(call, context)
    default:
      return showToolCall(call, known, context)
  }
}

function showCompactionCall(call: Call, output: SessionOutput): void {
  const { id, conversationId, fields } = call
  const status = isFinalStatus(fields.status) ? 'complete' : 'pending'
  const note = { id, subtype: 'compaction', message: COMPACTED, data: fields.rawOutput }
  output.upsert(conversationId, noteBlock(note, status))
}

function showToolCall(call: Call, known: Call | undefined, context: AcpContext): void {
  const agents = context.reader.agentsCall?.(shownCall(call))
  if (agents?.isEnd) return endAgents(agents, context)
  const block = blockOfCall(call, context.reader)
  const { status } = call.fields
  if (!isFinalStatus(status)) {
    // The agent may call a tool after the end of the turn.
    const shown = context.isAfterTurn(call.conversationId) ? 'complete' : 'pending'
    if (!known || !isEqual(blockOfCall(known, context.reader), block))
      context.upsert(call.conversationId, { ...block, status: shown })
    return showRunningOutput(call, known, context)
  }
  context.upsert(call.conversationId, { ...block, status: statusOf(isFailed(call, context.reader)) })
  showQuestionOf(call, context)
  showResult(call, context)
  showTodosOf(call, context)
  if (agents) endAgents(agents, context)
}

function endAgents({ ends }: AgentsCall, context: AcpContext): void {
  for (const end of ends) endNamedAgent(end, context)
}

/** Shows the question of a call. In a connection the program has sent it as a request. */
function showQuestionOf(call: Call, context: AcpContext): void {
  const { id: toolUseId, conversationId, fields } = call
  const asked = context.reader.askedQuestion?.(shownCall(call), fields.rawOutput)
  if (!asked || context.state.requestsOfCall(conversationId, toolUseId).length > 0) return
  const { title, answer } = asked
  const options = asked.options.map((label) => ({ id: label, label }))
  const facts = { kind: 'question', title, options, answer, toolUseId } as const
  context.upsert(conversationId, tracedRequest(facts))
}

/** Returns the block of a call that has not ended. */
function blockOfCall(call: Call, reader: ProgramReader): BlockOf<'tool_use'> {
  const { id: toolUseId, conversationId, messageId } = call
  const agents = reader.agentsCall?.(shownCall(call))
  const { toolName } = agents ?? call
  const input = agents ? agents.input : inputOf(call, reader)
  return omitUndefined({ ...callBlock({ toolName, toolUseId, input, messageId }), conversationId })
}

function isFailed(call: Call, reader: ProgramReader): boolean {
  const { fields, toolName } = call
  const isError = fields.status === 'failed' || toolName === reader.unknownTool
  return isError || ownResult(call, reader)?.isError === true
}

/** Shows the output of a terminal while the command still runs. After the end of main's turn, a pending block would start another one. */
function showRunningOutput(call: Call, known: Call | undefined, context: AcpContext): void {
  if (call.terminal === undefined || call.terminal === known?.terminal) return
  const status = context.isAfterTurn(call.conversationId) ? 'complete' : 'pending'
  const { id: toolUseId, terminal: output } = call
  context.upsert(call.conversationId, resultBlock({ toolUseId, output, isError: false }, status))
}

function showResult(call: Call, context: AcpContext): void {
  const { id: toolUseId, conversationId } = call
  const { reader } = context
  const isError = isFailed(call, reader)
  const agents = reader.agentsCall?.(shownCall(call))
  const output = plainOutput(agents ? agents.output : outputOf(call, reader))
  const { exitCode } = ownResult(call, reader) ?? {}
  const changes = isError ? undefined : changesOf(call, reader)
  const facts = resultBlock({ toolUseId, output, isError, exitCode, changes })
  const result = omitUndefined({ ...facts, conversationId })
  if (!isEqual(resultOf(conversationId, toolUseId, context.state), result))
    context.upsert(conversationId, result)
}

/** Some agents write their plan with a tool, and send no plan. */
function showTodosOf({ conversationId, fields, toolName }: Call, context: AcpContext): void {
  if (fields.status === 'failed') return
  const { todosAfter } = context.reader
  const after = todosAfter?.(
    { toolName, input: fields.rawInput },
    context.state.todosOf(conversationId) ?? [],
  )
  if (after) return context.emit({ type: 'todos:updated', conversationId, todos: after })
  const { todos } = asObject(fields.rawInput)
  if (!Array.isArray(todos)) return
  context.emit({ type: 'todos:updated', conversationId, todos: readTodos(todos) })
}

/** The fields that may come after the end of a call. */
const LATE_FIELDS = ['rawOutput', 'content'] as const

/** Adds the facts that an ended call still lacks. All other updates come again. */
function addLateFacts(known: Call, { fields, terminal, response }: CallUpdate, context: AcpContext): void {
  const late = Object.fromEntries(
    LATE_FIELDS.filter((name) => fields[name] !== undefined).map((name) => [name, fields[name]]),
  )
  const { rawOutput: _, ...others } = known.fields
  const call: Call = { ...known, fields: { ...others, ...late }, terminal, response }
  const hasLate = Object.keys(late).length > 0
  if (known.role === 'tool' && (hasLate || terminal !== undefined)) addLateResult(call, context)
  if (known.role === 'compaction' && hasLate) addLateData(call, context)
  if (known.role === 'agent' && (hasLate || response)) addLateEnd(call, context)
}

function addLateResult(call: Call, context: AcpContext): void {
  const { output } = resultOf(call.conversationId, call.id, context.state) ?? {}
  if (output === undefined || output === '') showResult(call, context)
}

function addLateData({ id, conversationId, fields }: Call, output: SessionOutput): void {
  const block = output.state.findBlock(conversationId, id)
  if (block?.type !== 'system' || block.data !== undefined || fields.rawOutput === undefined) return
  output.upsert(conversationId, { ...block, data: fields.rawOutput })
}
