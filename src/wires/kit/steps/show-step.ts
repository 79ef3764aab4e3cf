import { withChanges } from '../../../core/json/fields.ts'
import { asObject, assertNever } from '../../../core/json/values.ts'
import {
  type CallBlock,
  type ConversationBlock,
  isCall,
  toolResultBlockId,
} from '../../../core/state/block.ts'
import { absolutePath } from '../../../core/state/file-change.ts'
import { MAIN } from '../../../core/state/session.ts'
import type { SessionOutput } from '../../../reading/context.ts'
import type { SessionLookups } from '../../../reading/lookups.ts'
import { endAgent } from '../abandon.ts'
import {
  callBlock,
  compactionBlocks,
  errorBlock,
  noteBlock,
  reportUsage,
  resultBlock,
  statusOf,
} from '../blocks.ts'
import { callOf, hasCall, placeCall } from '../reused-ids.ts'
import { agentsOf, endAgents, readAgents, startAgents } from './agents.ts'
import type { PromptStep, ReplyPart, ReplyStep, ResultStep, Step, StepContext } from './step.ts'

/** Shows one step in its conversation. A step that comes again adds nothing. */
export function showStep(conversationId: string, step: Step, context: StepContext): void {
  switch (step.type) {
    case 'facts':
      if (conversationId === MAIN) context.updateFacts(step.facts)
      if (step.usage) reportUsage(conversationId, { messageId: 'session', usage: step.usage }, context)
      return
    case 'prompt':
      return showPrompt(conversationId, step, context)
    case 'reply':
      return showReply(conversationId, step, context)
    case 'result':
      return showResult(conversationId, step, context)
    case 'note': {
      const { subtype, message, time: timestamp } = step
      const id = idOf(step, context.notes.values)
      if (context.state.findBlock(conversationId, id)) return
      return context.upsert(conversationId, noteBlock({ id, subtype, message, timestamp }))
    }
    case 'stop':
      return stop(conversationId, step, context)
    case 'compaction': {
      const { summary, time: timestamp } = step
      const id = idOf(step, context.notes.values)
      if (context.state.findBlock(conversationId, id)) return
      for (const block of compactionBlocks({ id, summary, timestamp })) context.upsert(conversationId, block)
      return
    }
    case 'agents':
      return endAgents(step, context)
    case 'unknown':
      return context.reportUnknown('unknown-block', step.name)
    default:
      assertNever(step)
  }
}

/** Returns the id of a mark. One without an id is behind the message before it, so that it has the same id again. */
function idOf(
  { id, type }: Extract<Step, { readonly id?: unknown }>,
  notes: StepContext['notes']['values'],
): string {
  return id ?? `${notes.last ?? ''}:${type}`
}

/** Whether a block is such a mark. */
export function isMark(id: string): boolean {
  return /:(?:note|stop|compaction)(?::summary)?$/.test(id)
}

function showPrompt(
  conversationId: string,
  { id, content, origin, isAnswered, changes, time: timestamp }: PromptStep,
  context: StepContext,
): void {
  context.notes.remember({ last: id })
  if (context.state.findBlock(conversationId, id)) return
  if (conversationId === MAIN && (origin === undefined || isAnswered)) context.turn.begin(timestamp)
  const block = { type: 'user_message', id, status: 'complete', content, origin, changes, timestamp } as const
  context.upsert(conversationId, block)
}

function showReply(conversationId: string, reply: ReplyStep, context: StepContext): void {
  const { id, parts, model, usage, time } = reply
  context.notes.remember({ last: id })
  if (reply.isPart) return showFurtherParts(conversationId, reply, context)
  if (isKnown(conversationId, id, context.state)) return
  const goesOn = reply.goesOn ?? parts.some(({ type }) => type === 'call')
  if (conversationId === MAIN) context.turn.start(time)
  for (const [at, part] of parts.entries()) showPart(conversationId, reply, part, at, context)
  if (usage) reportUsage(conversationId, { messageId: id, usage, model }, context)
  if (conversationId === MAIN) context.updateFacts({ model })
  if (goesOn) return
  if (conversationId === MAIN) {
    context.turn.answer({ outcome: 'finished', timestamp: time })
    context.turn.settle()
  } else {
    const text = parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n')
    if (!context.state.hasEnded(conversationId))
      endAgent(conversationId, { isError: false, output: text, timestamp: time }, context)
  }
}

/** Shows parts of a message that comes in several lines. A part that the message has already comes again. */
function showFurtherParts(conversationId: string, reply: ReplyStep, context: StepContext): void {
  for (const part of reply.parts) {
    const at = placeOfPart(conversationId, reply.id, part, context.state)
    if (at === undefined) continue
    if (conversationId === MAIN) context.turn.start(reply.time)
    showPart(conversationId, reply, part, at, context)
  }
}

/** Returns the place of a further part in its message. Undefined if the message has the part already. A message may have many calls. */
function placeOfPart(
  conversationId: string,
  messageId: string,
  part: ReplyPart,
  state: SessionLookups,
): number | undefined {
  if (part.type === 'call')
    return hasCall({ conversationId, messageId, callId: part.id }, state) ? undefined : 0
  const known = state.blocksOfMessage(conversationId, messageId)
  const isAgain = known.some((block) => block.type === blockTypeOf(part) && block.content === part.text)
  return isAgain ? undefined : known.length
}

function blockTypeOf({ type }: Exclude<ReplyPart, { readonly type: 'call' }>) {
  return type === 'text' ? 'assistant_text' : 'thinking'
}

/** Whether the reply has come before. A reply may have nothing but tokens. */
function isKnown(conversationId: string, id: string, state: SessionLookups): boolean {
  return state.hasBlocks(conversationId, id) || state.usageOf(conversationId, id) !== undefined
}

function showPart(
  conversationId: string,
  { id: messageId, model, time: timestamp }: ReplyStep,
  part: ReplyPart,
  at: number,
  context: StepContext,
): void {
  const common = { messageId, timestamp }
  if (part.type !== 'call') {
    const id = `${messageId}:${at}`
    return context.upsert(conversationId, {
      type: blockTypeOf(part),
      id,
      status: 'complete',
      content: part.text,
      model,
      ...common,
    })
  }
  // A state holds JSON alone, and a line may lack the input.
  const { name: toolName, input = {}, agents = [] } = part
  const isAgent = agents.length === 1
  const toolUseId = placeCall({ conversationId, messageId, callId: part.id, isAgent }, context)
  if (!isAgent) context.upsert(conversationId, callBlock({ toolName, toolUseId, input, ...common }))
  startAgents({ conversationId, toolUseId, messageId, agents, time: timestamp }, context)
}

function showResult(conversationId: string, result: ResultStep, context: StepContext): void {
  const { callId, output, isError, time: timestamp } = result
  const toolUseId =
    callId === undefined
      ? firstOpenCall(conversationId, result, context.state)
      : callOf(conversationId, callId, context)
  if (toolUseId === undefined) return
  const resultId = toolResultBlockId(toolUseId)
  context.notes.remember({ last: resultId })
  if (context.state.findBlock(conversationId, resultId)) return
  const agents = agentsOf(toolUseId, context.state)
  const end = { isError, output: typeof output === 'string' ? output : undefined, timestamp }
  const isOver = agents.length > 0 && agents.every((agent) => context.state.hasEnded(agent.toolUseId))
  if (conversationId === MAIN && !isOver) context.turn.start(timestamp)
  if (agents.length > 0) readAgents(agents, result.agents ?? { isLaunch: false }, end, context)
  if (context.state.agentOfCall(toolUseId)) return
  showToolResult(conversationId, toolUseId, result, context)
}

function showToolResult(
  conversationId: string,
  toolUseId: string,
  { output = '', isError, exitCode, time: timestamp, ...result }: ResultStep,
  session: SessionOutput,
): void {
  const call = session.state.findBlock(conversationId, toolUseId)
  const done = call?.type === 'tool_use' && !isError ? call : undefined
  const input = asObject(done?.input)
  const { cwd } = session.state.facts
  const changes = done && result.changes?.(done.toolName, input)
  const todos = done && result.todos?.(done.toolName, input)
  if (call?.type === 'tool_use') session.upsert(conversationId, { ...call, status: statusOf(isError) })
  const placed = changes?.map((change) => withChanges(change, { path: absolutePath(change.path, cwd) }))
  const facts = { toolUseId, output, isError, exitCode, changes: placed, timestamp }
  session.upsert(conversationId, resultBlock(facts))
  if (todos) session.emit({ type: 'todos:updated', conversationId, todos })
}

/** Returns the first call that waits for its result. Undefined if the result has come before: no field names its call. */
function firstOpenCall(
  conversationId: string,
  { time = '', output, agents }: ResultStep,
  state: SessionLookups,
): string | undefined {
  if (agents?.ids?.some((id) => state.findAgent(id))) return undefined
  for (const block of state.typeFromEnd(conversationId, 'tool_result')) {
    if ((block.timestamp ?? '') < time) break
    if (block.type === 'tool_result' && block.timestamp === time && block.output === output) return undefined
  }
  // A result is never older than its call.
  const isFound = (block: ConversationBlock) =>
    isCall(block) && isOpenCall(conversationId, block, state) && (block.timestamp ?? '') <= time
  const call = state.cutBlockIds(conversationId)
    ? state.blocksOf(conversationId).find(isFound)
    : state.firstBlockIn(conversationId, openCallGroup, OPEN, isFound)
  return call && isCall(call) ? call.toolUseId : undefined
}

const OPEN = 'open'

/** The calls that can be open in a conversation that no end of an input has cut. */
const openCallGroup = (block: ConversationBlock): string | undefined => {
  if (block.type === 'tool_use') return block.status === 'pending' ? OPEN : undefined
  const isUnlinked =
    block.type === 'subagent' && block.launchedBy === undefined && block.agentId === undefined
  return isUnlinked ? OPEN : undefined
}

function isOpenCall(conversationId: string, block: CallBlock, state: SessionLookups): boolean {
  if (block.type === 'tool_use') return state.isOpen(conversationId, block.id)
  const { launchedBy, agentId, toolUseId } = block
  return launchedBy === undefined && agentId === undefined && !state.hasEnded(toolUseId)
}

function stop(
  conversationId: string,
  step: Extract<Step, { readonly type: 'stop' }>,
  context: StepContext,
): void {
  const { outcome, message, time: timestamp } = step
  const isRunning = context.state.turn.status === 'running' || context.state.turn.openBlocks !== undefined
  // A session may fail before its first turn. An answer need not be the turn's end, but a stop without an id may come again.
  const { status } = context.state.turn
  const mayStop =
    outcome !== 'finished' && (status === 'idle' || (status === 'finished' && step.id !== undefined))
  if (conversationId === MAIN && !isRunning && !mayStop) return
  if (outcome === 'finished') {
    if (conversationId === MAIN) context.turn.end({ outcome, timestamp })
    else if (!context.state.hasEnded(conversationId))
      endAgent(conversationId, { isError: false, timestamp }, context)
    return
  }
  const id = idOf(step, context.notes.values)
  if (context.state.findBlock(conversationId, id)) return
  if (conversationId === MAIN && status !== 'finished') context.turn.start(timestamp)
  const end = { id, message, timestamp }
  const isFailure = outcome === 'failed'
  context.upsert(conversationId, isFailure ? errorBlock(end) : noteBlock({ subtype: 'interruption', ...end }))
  if (conversationId !== MAIN) return endAgent(conversationId, { isError: true, timestamp }, context)
  context.turn.end({ outcome, error: isFailure ? message : undefined, timestamp })
}
