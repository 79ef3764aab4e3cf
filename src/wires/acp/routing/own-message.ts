import { omitUndefined } from '../../../json/omit-undefined.ts'
import { asObject, asString, type JsonObject } from '../../../json/values.ts'
import type { OwnMessage } from '../../../programs/reader.ts'
import { COMPACTED } from '../../../session/values/compaction.ts'
import { MAIN, TOKEN_COUNTS, type TokenUsage } from '../../../state/session.ts'
import { spawnChild } from '../agents/child-session.ts'
import { addOutput, endAgent } from '../agents/run.ts'
import { showNote } from '../blocks/note.ts'
import { isPromptId } from '../blocks/prompt.ts'
import { closeText } from '../blocks/text.ts'
import { endPrompt, failPrompt } from '../blocks/turn.ts'
import { showHeldMessage } from '../blocks/user.ts'
import { type AcpContext, agentIdOf } from '../context.ts'
import type { KnownAgent } from '../memory.ts'
import { showQuestion } from '../requests/translate-request.ts'
import type { RpcCall } from '../rpc/read-message.ts'
import { conversationOf } from './session-of.ts'

/** Translates a request or a notification that the protocol does not have. */
export function translateOwnCall(call: RpcCall, context: AcpContext): void {
  const { method, params } = call
  const own = context.reader.ownMessage?.({ method, params, isResponse: false })
  const sessionId = asString(params.sessionId)
  if (!own || own.type === 'ignored' || sessionId === undefined) return
  const conversationId = conversationOf(sessionId, context)
  if (conversationId === undefined) context.reportUnknown('other-session', method)
  else if (own.type === 'question') showQuestion(conversationId, call, own, context)
  else translateOwnMessage(conversationId, own, context)
}

/** Translates the response to a request that the protocol does not have. It is about main. */
export function translateOwnResponse(method: string, result: JsonObject, context: AcpContext): void {
  const own = context.reader.ownMessage?.({ method, params: result, isResponse: true })
  if (own) translateOwnMessage(MAIN, own, context)
}

function translateOwnMessage(conversationId: string, own: OwnMessage, context: AcpContext): void {
  switch (own.type) {
    case 'agent-started':
      return startAgent(conversationId, own, context)
    case 'agent-ended':
      return endChild(own, context)
    case 'response':
      return addResponse(conversationId, own.usage, context)
    case 'turn-ended':
      return endTurn(conversationId, own, context)
    case 'rewound':
      return rewind(own.promptIndex, context)
    case 'compacted':
      return showNote(conversationId, { id: own.id, subtype: 'compaction', message: COMPACTED }, context)
    case 'retrying':
      return context.updateThread(conversationId, {
        retriedId: context.thread(conversationId).openText?.messageId,
      })
    case 'question':
    case 'ignored':
      return
  }
}

type Own<Type extends OwnMessage['type']> = Extract<OwnMessage, { readonly type: Type }>

/** Links the session of an agent to the call that started it. Without such a call, the session stands for it. */
function startAgent(
  conversationId: string,
  { sessionId, agentType, description }: Own<'agent-started'>,
  context: AcpContext,
): void {
  const known = context.agentOfSession(sessionId)
  const toolUseId = known?.id ?? unlinkedAgent(description, context)?.id ?? sessionId
  const parentId = context.call(toolUseId)?.conversationId ?? conversationId
  const agentId = agentIdOf(sessionId)
  const facts = omitUndefined({ prompt: '', subagentType: agentType, description, agentId })
  spawnChild(parentId, { sessionId, toolUseId, known: known ?? context.agent(toolUseId), facts }, context)
}

/** Returns the first agent without a session whose call has the description. Until the results, calls with one description differ by order alone. */
function unlinkedAgent(description: string | undefined, context: AcpContext): KnownAgent | undefined {
  const name = context.program.fields.description
  const candidates = context.memory.agents.values().filter(({ id, agentId, run }) => {
    const input = asObject(context.call(id)?.fields.rawInput)
    return agentId === undefined && run !== 'ended' && asString(input[name]) === description
  })
  return candidates.sort((left, right) => left.order - right.order)[0]
}

function endChild({ sessionId, ...end }: Own<'agent-ended'>, context: AcpContext): void {
  const agent = context.agentOfSession(sessionId)
  if (!agent) return
  showHeldMessage(agent.id, context)
  if (agent.parentId === MAIN && !context.thread(agent.id).hasReported)
    context.updateThread(MAIN, { hasUnknownTokens: true })
  if (agent.run !== 'ended') endAgent(agent.id, end, context)
  else if (end.output !== undefined) addOutput(agent.id, end.output, context)
}

/** Adds the tokens of a response to those of its turn. */
function addResponse(conversationId: string, usage: TokenUsage, context: AcpContext): void {
  const { turnTokens = {}, promptId = conversationId } = context.thread(conversationId)
  const total = sum(turnTokens, usage, 1)
  context.updateThread(conversationId, { turnTokens: total })
  reportTokens(conversationId, { promptId, usage: total }, context)
}

function endTurn(conversationId: string, end: Own<'turn-ended'>, context: AcpContext): void {
  showHeldMessage(conversationId, context)
  closeText(conversationId, context)
  reportTurn(conversationId, end, context)
  if (conversationId !== MAIN) return
  const { promptId = '' } = context.memory
  const { outcome, error = 'failed' } = end
  if (outcome === 'failed') return failPrompt(promptId, { message: error }, context)
  endPrompt(promptId, {}, context, outcome)
}

/** Reports the tokens of a turn. Those of main's turn hold the turns of main's own agents that ended in it. */
function reportTurn(
  conversationId: string,
  { promptId, usage, isCopy, model }: Own<'turn-ended'>,
  context: AcpContext,
): void {
  const { turnTokens, agentTokens = {}, hasUnknownTokens } = context.thread(conversationId)
  context.updateThread(conversationId, { turnTokens: undefined })
  if (model !== undefined && conversationId === MAIN) context.updateFacts({ model })
  if (conversationId !== MAIN) {
    if (!usage || isCopy) return
    context.updateThread(conversationId, { hasReported: true })
    const isInTurn = context.turn.status === 'running' && context.agent(conversationId)?.parentId === MAIN
    if (isInTurn)
      context.updateThread(MAIN, { agentTokens: sum(context.thread(MAIN).agentTokens ?? {}, usage, 1) })
    return reportTokens(conversationId, { promptId, usage, model }, context)
  }
  context.updateThread(MAIN, { agentTokens: undefined, hasUnknownTokens: undefined })
  const isKnown = context.usageOf(MAIN, promptId) !== undefined
  const own = turnTokens ?? (usage && !isKnown && !hasUnknownTokens ? sum(usage, agentTokens, -1) : undefined)
  if (own) reportTokens(MAIN, { promptId, usage: own, model }, context)
}

interface TurnTokens {
  readonly promptId: string
  readonly usage: TokenUsage
  readonly model?: string | undefined
}

function reportTokens(
  conversationId: string,
  { promptId, usage, model }: TurnTokens,
  context: AcpContext,
): void {
  if (Object.keys(usage).length === 0) return
  const report = {
    conversationId,
    messageId: promptId,
    usage,
    final: true,
    model: model ?? context.facts.model,
  }
  context.emit(omitUndefined({ type: 'usage:reported', ...report }))
}

function sum(left: TokenUsage, right: TokenUsage, sign: 1 | -1): TokenUsage {
  const counts = TOKEN_COUNTS.filter((name) => left[name] !== undefined || right[name] !== undefined)
  return Object.fromEntries(
    counts.map((name) => [name, Math.max(0, (left[name] ?? 0) + sign * (right[name] ?? 0))]),
  )
}

/** Takes the prompt with that number and all blocks after it from main. */
function rewind(promptIndex: number, context: AcpContext): void {
  showHeldMessage(MAIN, context)
  closeText(MAIN, context)
  const blocks = context.blocksOf(MAIN)
  const prompts = blocks.flatMap(({ type, id }, at) =>
    type === 'user_message' && isPromptId(id) ? [at] : [],
  )
  const first = prompts[promptIndex]
  const prompt = first === undefined ? undefined : blocks[first]
  if (!prompt) return
  const branchId = `${prompt.id}:rewind`
  const blockIds = blocks.slice(first).map(({ id }) => id)
  context.emit({ type: 'branch:abandoned', branchId, blockIds })
  showNote(MAIN, { id: branchId, subtype: 'rewind', message: 'The person rewound the conversation' }, context)
}
