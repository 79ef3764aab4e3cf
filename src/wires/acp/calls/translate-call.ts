import { isEqual } from '../../../json/equal.ts'
import { omitUndefined } from '../../../json/omit-undefined.ts'
import { asArray, asObject, asString, type JsonObject } from '../../../json/values.ts'
import { withChanges } from '../../../json/with-changes.ts'
import type { AgentsCall, ProgramReader } from '../../../programs/reader.ts'
import { typeName } from '../../../session/context.ts'
import { COMPACTED } from '../../../session/values/compaction.ts'
import { readTodos } from '../../../session/values/todos.ts'
import { type BlockOf, toolResultBlockId } from '../../../state/block.ts'
import { isAgentCall, showAgentCall } from '../agents/agent-call.ts'
import { endNamedAgent } from '../agents/run.ts'
import { showNote } from '../blocks/note.ts'
import { closeText, countCall } from '../blocks/text.ts'
import { showHeldMessage } from '../blocks/user.ts'
import type { AcpContext } from '../context.ts'
import type { KnownCall } from '../memory.ts'
import { repeatItem } from '../resume/repeated-turn.ts'
import { changesOf } from './changes.ts'
import { type CallUpdate, isFinalStatus, shownCall } from './read-call.ts'
import { inputOf, outputOf } from './result.ts'

/** Translates an update of a call: its start, a change, or its end. */
export function translateCall(conversationId: string, update: CallUpdate, context: AcpContext): void {
  const known = context.callIn(conversationId, update.id)
  if (known?.isEnded) {
    repeatItem(conversationId, known.id, context)
    return addLateFacts(known, update, context)
  }
  if (!known) beginCall(conversationId, context)
  for (const type of unknownContent(update.fields))
    context.reportUnknown('unknown-block', `tool_call/${type}`)
  const call = mergeUpdate(known ?? newCall(conversationId, update.id), update, context)
  const isEnded = isFinalStatus(call.fields.status)
  context.rememberCall(isEnded ? withChanges(call, { isEnded }) : call)
  if (!isEnded && known === undefined) context.noteWork(conversationId)
  showCall(call, known, context)
}

/** Returns the types of the contents that no block shows. */
function unknownContent({ content }: JsonObject): readonly string[] {
  return asArray(content)
    .map((part) => typeName(asObject(part).type))
    .filter((type) => !CONTENT_TYPES.has(type))
}

const CONTENT_TYPES: ReadonlySet<string> = new Set(['content', 'diff', 'terminal'])

function newCall(conversationId: string, id: string): KnownCall {
  return { id, conversationId, role: 'tool', toolName: '', fields: {} }
}

function beginCall(conversationId: string, context: AcpContext): void {
  showHeldMessage(conversationId, context)
  closeText(conversationId, context)
  countCall(conversationId, context)
  if (context.thread(conversationId).resumedTurn)
    context.updateThread(conversationId, { resumedTurn: undefined })
}

function mergeUpdate(known: KnownCall, update: CallUpdate, context: AcpContext): KnownCall {
  const fields = withChanges(known.fields, newFields(known.fields, update.fields, context.reader))
  const toolName = toolNameOf({ toolName: known.toolName, fields }, update, context)
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
  known: Pick<KnownCall, 'toolName' | 'fields'>,
  { fields, metaName, meta }: CallUpdate,
  { reader }: AcpContext,
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
function roleOf(call: KnownCall, context: AcpContext): KnownCall['role'] {
  if (call.role !== 'tool') return call.role
  if (call.toolName === context.reader.compactionTool) return 'compaction'
  return isAgentCall(call, context) ? 'agent' : 'tool'
}

function showCall(call: KnownCall, known: KnownCall | undefined, context: AcpContext): void {
  switch (call.role) {
    case 'agent':
      if (known?.role === 'tool')
        context.emit({ type: 'block:removed', conversationId: call.conversationId, blockId: call.id })
      return showAgentCall(call, known, context)
    case 'compaction':
      return showCompactionCall(call, context)
    default:
      return showToolCall(call, known, context)
  }
}

/** Makes a call that was shown as a tool's the call of an agent: other updates name it as their agent's call. */
export function becomeAgentCall(call: KnownCall, context: AcpContext): void {
  const changed: KnownCall = { ...call, role: 'agent' }
  context.rememberCall(changed)
  showCall(changed, call, context)
}

function showCompactionCall(call: KnownCall, context: AcpContext): void {
  const { id, conversationId, fields } = call
  const status = isFinalStatus(fields.status) ? 'complete' : 'pending'
  showNote(
    conversationId,
    { id, subtype: 'compaction', message: COMPACTED, status, data: fields.rawOutput },
    context,
  )
}

function showToolCall(call: KnownCall, known: KnownCall | undefined, context: AcpContext): void {
  const agents = context.reader.agentsCall?.(shownCall(call))
  const block = callBlock(call, agents)
  const { status } = call.fields
  if (!isFinalStatus(status)) {
    if (!known || !isEqual(callBlock(known, context.reader.agentsCall?.(shownCall(known))), block))
      showOpenCall(block, context)
    return showRunningOutput(call, known, context)
  }
  context.upsert(call.conversationId, {
    ...block,
    status: isFailed(call, context.reader) ? 'error' : 'complete',
  })
  showResult(call, context)
  showTodosOf(call, context)
  for (const end of agents?.ends ?? []) endNamedAgent(end, context)
}

/** The agent may call a tool after the end of the turn. */
function showOpenCall(block: BlockOf<'tool_use'>, context: AcpContext): void {
  const isLate = context.isAfterTurn(block.conversationId)
  context.upsert(block.conversationId, isLate ? { ...block, status: 'complete' } : block)
}

/** Returns the block of a call that has not ended. */
function callBlock(call: KnownCall, agents: AgentsCall | undefined): BlockOf<'tool_use'> {
  const { id, conversationId } = call
  const { toolName } = agents ?? call
  const input = agents ? agents.input : inputOf(call)
  return { type: 'tool_use', id, conversationId, status: 'pending', toolName, toolUseId: id, input }
}

function isFailed({ fields, toolName }: KnownCall, reader: ProgramReader): boolean {
  const isError = fields.status === 'failed' || toolName === reader.unknownTool
  return isError || reader.result?.(asObject(fields.rawOutput), undefined).isError === true
}

/** Shows the output of a terminal while the command still runs. */
function showRunningOutput(call: KnownCall, known: KnownCall | undefined, context: AcpContext): void {
  if (call.terminal === undefined || call.terminal === known?.terminal) return
  if (context.isAfterTurn(call.conversationId)) return
  const { id: toolUseId, terminal: output } = call
  const id = toolResultBlockId(toolUseId)
  context.upsert(call.conversationId, {
    type: 'tool_result',
    id,
    status: 'pending',
    toolUseId,
    output,
    isError: false,
  })
}

function showResult(call: KnownCall, context: AcpContext): void {
  const { id: toolUseId, conversationId } = call
  const { reader } = context
  const isError = isFailed(call, reader)
  const agents = reader.agentsCall?.(shownCall(call))
  const output = agents ? agents.output : outputOf(call, reader)
  const { exitCode } = reader.result?.(asObject(call.fields.rawOutput), undefined) ?? {}
  const changes = isError ? undefined : changesOf(call, reader)
  const id = toolResultBlockId(toolUseId)
  const status = isError ? 'error' : 'complete'
  context.upsert(
    conversationId,
    omitUndefined({ type: 'tool_result', id, status, toolUseId, output, isError, exitCode, changes }),
  )
}

/** Some agents write their plan with a tool, and send no plan. */
function showTodosOf({ conversationId, fields }: KnownCall, context: AcpContext): void {
  const { todos } = asObject(fields.rawInput)
  if (!Array.isArray(todos) || fields.status === 'failed') return
  context.emit({ type: 'todos:updated', conversationId, todos: readTodos(todos) })
}

/** The fields that may come after the end of a call. */
const LATE_FIELDS = ['rawOutput', 'content'] as const

/** Adds the facts that an ended call still lacks. All other updates come again. */
function addLateFacts(
  known: KnownCall,
  { fields, terminal, response }: CallUpdate,
  context: AcpContext,
): void {
  const late: JsonObject = Object.fromEntries(
    LATE_FIELDS.filter((name) => known.fields[name] === undefined && fields[name] !== undefined).map(
      (name) => [name, fields[name]],
    ),
  )
  const call: KnownCall = omitUndefined({
    ...known,
    fields: withChanges(known.fields, late),
    terminal: known.terminal ?? (typeof known.fields.rawOutput === 'string' ? undefined : terminal),
    // The record of a tool comes before its result. Only the call of an agent still needs it.
    response: known.response ?? (known.role === 'agent' ? response : undefined),
  })
  if (isEqual(call, known)) return
  context.rememberCall(call)
  if (call.role === 'tool') showResult(call, context)
  else if (call.role === 'compaction') showCompactionCall(call, context)
  else showAgentCall(call, known, context)
}
