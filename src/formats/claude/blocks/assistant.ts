import { omitUndefined } from '../../../json/omit-undefined.ts'
import { asArray, asFiniteNumber, asObject, asString } from '../../../json/values.ts'
import { MAIN } from '../../../state/session.ts'
import { withAgentCallId } from '../agents/agent-call.ts'
import { completeAgent } from '../agents/agent-run.ts'
import { storeAgent } from '../agents/register-agent.ts'
import type { ClaudeContext } from '../context.ts'
import { isApiErrorText } from '../lines/api-error.ts'
import { contentParts, textsIn } from '../lines/content.ts'
import { firstString, type Line, lineId } from '../lines/line.ts'
import type { Turn } from '../memory.ts'
import { retractBlock, upsertWholeBlock } from './model-block.ts'
import { recordWholeBlock } from './model-message.ts'
import { upsertSystemBlock } from './system-block.ts'
import { abandonCallsBefore, abandonStreamBefore, hasAnswered } from './turn.ts'
import { reportUsage, tokenUsage } from './usage.ts'

/** The model's name in messages that the program writes in the model's place. */
const SYNTHETIC_MODEL = '<synthetic>'

/** Translates a message of the model, or one block of it. The lines of one message share the message's id. */
export function translateAssistantLine(line: Line, context: ClaudeContext): void {
  const { raw, message } = line
  const messageId = asString(message.id) ?? lineId(line, context)
  abandonStreamBefore({ conversationId: line.conversationId, messageId }, context)
  for (const superseded of asArray(raw.supersedes)) retractBlocksOfLine(asString(superseded) ?? '', context)
  if (isApiError(line)) translateApiError(line, messageId, context)
  else if (message.model === SYNTHETIC_MODEL) translateSyntheticMessage(line, messageId, context)
  else translateModelMessage(line, messageId, context)
}

function translateModelMessage(line: Line, messageId: string, context: ClaudeContext): void {
  const { uuid, conversationId, message } = line
  abandonCallsBefore({ conversationId, messageId }, context)
  // The model answers, so the next message is no summary of a compaction.
  if (context.memory.compactedConversation === conversationId)
    context.remember({ compactedConversation: undefined })
  reportTokens(line, messageId, context)
  const blockIds = upsertBlocks(line, messageId, context)
  const { readLines } = context.memory
  if (uuid !== undefined) context.remember({ readLines: readLines.with(uuid, { conversationId, blockIds }) })
  if (conversationId !== MAIN) return rememberLastText(line, context)
  const model = asString(message.model)
  // A stream states the model at the beginning of each turn.
  if (context.memory.isStream) context.addMissingFacts(omitUndefined({ model }))
  else context.updateFacts(omitUndefined({ model }))
  context.remember({ turn: turnAfter(line, context) })
}

function upsertBlocks(line: Line, messageId: string, context: ClaudeContext): readonly string[] {
  const { raw, uuid, timestamp, conversationId, message } = line
  const model = asString(message.model)
  const parts = contentParts(message.content).map((part, at) =>
    withAgentCallId(part, `${uuid ?? messageId}:${at}`),
  )
  // The line's index counts the line's only block.
  const index = parts.length === 1 ? asFiniteNumber(raw.apiBlockIndex) : undefined
  return parts.map((part) => {
    const blockId = recordWholeBlock(part, { conversationId, messageId, index }, context)
    const place = omitUndefined({ conversationId, messageId, blockId, model, timestamp })
    upsertWholeBlock(part, place, context)
    return blockId
  })
}

/** The program's text in the model's place is no text of the model. */
function translateSyntheticMessage(line: Line, messageId: string, context: ClaudeContext): void {
  const message = textsIn(line.message.content).join('\n')
  upsertSystemBlock(line, { subtype: 'synthetic', id: `${messageId}:0`, message }, context)
}

/** Older streams mark an API error only with its kind, or with nothing but the text. */
function isApiError({ raw, message }: Line): boolean {
  if (raw.is_api_error_message === true || raw.isApiErrorMessage === true) return true
  if (message.model !== SYNTHETIC_MODEL) return false
  return typeof raw.error === 'string' || isApiErrorText(textsIn(message.content)[0])
}

/** Updates the tokens of a repeated line: a file's line may hold the final ones, a stream's line does not. */
export function updateTokens(line: Line, context: ClaudeContext): void {
  const messageId = asString(line.message.id)
  if (line.raw.type === 'assistant' && messageId !== undefined && line.message.model !== SYNTHETIC_MODEL)
    reportTokens(line, messageId, context)
}

function reportTokens({ conversationId, message }: Line, messageId: string, context: ClaudeContext): void {
  const isFinal = typeof message.stop_reason === 'string'
  const report = { usage: tokenUsage(asObject(message.usage)), isFinal, model: asString(message.model) }
  reportUsage({ conversationId, messageId }, report, context)
}

/** A stream states the stop reason at the message's end. Old files often lack it, so a last text counts as the answer. */
function turnAfter({ raw, message }: Line, { memory }: ClaudeContext): Turn {
  if (raw.aborted === true || raw.isAbortedMidStream === true) return 'interrupted'
  if (typeof message.stop_reason === 'string')
    return hasAnswered(message.stop_reason) ? 'answered' : 'running'
  return !memory.isStream && contentParts(message.content).at(-1)?.type === 'text' ? 'answered' : 'running'
}

/** An agent's report is its last text. An agent without a known call ends with its turn, because no result reports its end. */
function rememberLastText({ conversationId, message }: Line, context: ClaudeContext): void {
  const lastText = textsIn(message.content).at(-1)
  const before = context.memory.agents.get(conversationId)
  if (!before) return
  const agent =
    lastText === undefined && !before.hasStopHook
      ? before
      : omitUndefined({
          ...before,
          lastText: lastText ?? before.lastText,
          hasFailedRequest: false,
          hasStopHook: false,
        })
  if (agent !== before) storeAgent(agent, context)
  if (agent.parent === undefined && agent.hasCall !== true && hasAnswered(message.stop_reason))
    completeAgent(agent, { status: 'completed', output: lastText }, context)
}

function translateApiError(line: Line, messageId: string, context: ClaudeContext): void {
  const { raw, message, conversationId, timestamp } = line
  context.upsert(
    conversationId,
    omitUndefined({
      type: 'error',
      id: `${messageId}:0`,
      status: 'error',
      message: textsIn(message.content).join('\n'),
      code: firstString(raw, 'api_error_type', 'apiErrorType', 'error'),
      timestamp,
    }),
  )
  if (conversationId === MAIN) context.remember({ turn: 'answered' })
  const agent = context.memory.agents.get(conversationId)
  if (agent) storeAgent({ ...agent, hasFailedRequest: true }, context)
}

function retractBlocksOfLine(uuid: string, context: ClaudeContext): void {
  const line = context.memory.readLines.get(uuid)
  if (!line) return
  const { conversationId } = line
  for (const blockId of line.blockIds) retractBlock(conversationId, blockId, context)
  const { readLines } = context.memory
  context.remember({ readLines: readLines.with(uuid, { conversationId, blockIds: [] }) })
}
