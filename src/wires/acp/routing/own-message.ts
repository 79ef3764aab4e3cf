import { omitUndefined } from '../../../core/json/fields.ts'
import { asString, assertNever, type JsonObject } from '../../../core/json/values.ts'
import { MAIN } from '../../../core/state/session.ts'
import type { OwnMessage, StreamLine } from '../../../programs/reader.ts'
import { programStreams } from '../../../programs/readers.ts'
import type { AgentState, SessionLookups } from '../../../reading/lookups.ts'
import { abandonBlocks } from '../../kit/abandon.ts'
import { COMPACTED, noteBlock } from '../../kit/blocks.ts'
import { spawnChild } from '../agents/child-session.ts'
import { addReport, endAgent, endAllInBackground } from '../agents/run.ts'
import { RETRY } from '../blocks/note.ts'
import { dropBufferedPrompt, lastPromptId, readPromptId } from '../blocks/prompt.ts'
import { closeText, completeText } from '../blocks/text.ts'
import { endPrompt, failPrompt } from '../blocks/turn.ts'
import { showBufferedMessage } from '../blocks/user.ts'
import { type AcpContext, agentIdOf } from '../context.ts'
import { showQuestion } from '../requests.ts'
import type { RpcCall } from '../rpc.ts'
import {
  addResponse,
  addTurnCost,
  noteMissingTokens,
  reportAgentTokens,
  reportMainTokens,
} from '../tokens.ts'
import { conversationOf } from './conversation.ts'
import { translateUpdate } from './translate-update.ts'

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

/** Translates a message of the program's own about a conversation. */
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
      // The prompt of a known compaction comes again, too.
      if (conversationId === MAIN && context.state.findBlock(MAIN, own.id)) dropBufferedPrompt(context)
      return context.upsert(
        conversationId,
        noteBlock({ id: own.id, subtype: 'compaction', message: COMPACTED }),
      )
    case 'retrying':
      showBufferedMessage(conversationId, context)
      return context.upsert(conversationId, noteBlock({ id: own.id, subtype: RETRY, message: own.reason }))
    case 'question':
    case 'ignored':
      return
    default:
      assertNever(own)
  }
}

type Own<Type extends OwnMessage['type']> = Extract<OwnMessage, { readonly type: Type }>

/** Links the session of an agent to the call that started it. Without such a call, the session stands for it. */
function startAgent(
  conversationId: string,
  { sessionId, agentType, description }: Own<'agent-started'>,
  context: AcpContext,
): void {
  const known = context.agentOfSession(sessionId) ?? unlinkedAgent(description, context.state)
  const { toolUseId = sessionId, parentConversationId = conversationId } = known ?? {}
  const agentId = agentIdOf(sessionId)
  const facts = omitUndefined({ prompt: '', subagentType: agentType, description, agentId })
  spawnChild(parentConversationId, { toolUseId, isNew: !known, facts }, context)
}

/**
 * Returns the first agent without a session whose call has the description. Until the results, calls with one
 * description differ by order alone.
 */
function unlinkedAgent(description: string | undefined, state: SessionLookups): AgentState | undefined {
  return state.firstOpenAgent((agent) => agent.agentId === undefined && agent.description === description)
}

function endChild({ sessionId, ...end }: Own<'agent-ended'>, context: AcpContext): void {
  const agent = context.agentOfSession(sessionId)
  if (!agent) return
  const { toolUseId } = agent
  showBufferedMessage(toolUseId, context)
  noteMissingTokens(toolUseId, context)
  if (!context.state.hasEnded(toolUseId)) endAgent(toolUseId, end, context)
  else if (end.output !== undefined) addReport(toolUseId, end.output, context)
}

function endTurn(conversationId: string, end: Own<'turn-ended'>, context: AcpContext): void {
  showBufferedMessage(conversationId, context)
  closeText(conversationId, context)
  if (conversationId !== MAIN) return reportAgentTokens(conversationId, end, context)
  reportMainTokens(end, context)
  addTurnCost(end, context)
  const { outcome, error = 'failed' } = end
  const promptId = lastPromptId(context) ?? ''
  if (outcome === 'failed') failPrompt(promptId, { message: error }, context)
  else endPrompt(promptId, {}, context, outcome)
}

/** Takes the prompt with that number and all blocks after it from main. */
function rewind(promptIndex: number, context: AcpContext): void {
  showBufferedMessage(MAIN, context)
  closeText(MAIN, context)
  const blocks = context.state.blocksOf(MAIN)
  const prompts = blocks.flatMap(({ type, id }, at) =>
    type === 'user_message' && readPromptId(id) ? [at] : [],
  )
  const first = prompts[promptIndex]
  const prompt = first === undefined ? undefined : blocks[first]
  if (!prompt) return
  const branchId = `${prompt.id}:rewind`
  const blockIds = blocks.slice(first).map(({ id }) => id)
  abandonBlocks({ id: branchId, blockIds, data: undefined }, context)
}

type OwnLine = Extract<StreamLine, { readonly own: unknown }>

const STREAMS = /* @__PURE__ */ programStreams()

/** Whether the value proves that it is a line of a program's own stream. */
export function isProofOfStream(value: JsonObject): boolean {
  return STREAMS.some(([, { isProof }]) => isProof(value))
}

/**
 * Translates a line of a program's own stream; returns false for any other value. It names no session and no agent,
 * so all its lines are main's.
 */
export function translateLine(value: JsonObject, context: AcpContext): boolean {
  for (const [program, { read }] of STREAMS) {
    const line = read(value)
    if (!line) continue
    context.addMissingFacts({ program })
    if ('update' in line) translateUpdate({ sessionId: '', conversationId: MAIN, ...line }, context)
    else translateOwn(line, context)
    return true
  }
  return false
}

function translateOwn({ own, sessionId: id }: OwnLine, context: AcpContext): void {
  context.addMissingFacts({ id })
  if (own.type === 'response') {
    context.noteWork(MAIN)
    // The tokens of a response come after its text. The next text is that of another response.
    completeText(MAIN, context)
  }
  translateOwnMessage(MAIN, own, context)
  // The program ends with its stream, and so do its agents.
  if (own.type === 'turn-ended')
    endAllInBackground(own.outcome === 'finished' ? 'completed' : 'error', context)
}
