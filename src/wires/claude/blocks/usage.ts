import type { Mutable } from '../../../core/json/fields.ts'
import { asFiniteNumber, asObject, asString, type JsonObject } from '../../../core/json/values.ts'
import { messageOfResult } from '../../../core/reducer/usage.ts'
import { toolResultBlockId } from '../../../core/state/block.ts'
import {
  contextSize,
  hasCounts,
  type MessageUsage,
  TOKEN_COUNTS,
  type TokenUsage,
} from '../../../core/state/session.ts'
import { isAtLeast } from '../../../programs/claude-code/program.ts'
import { apiTokens } from '../../../programs/token-fields.ts'
import type { SessionOutput } from '../../../reading/context.ts'
import type { SessionLookups } from '../../../reading/lookups.ts'
import { lastMessageOf, type MessageRef } from './model/message-stream.ts'

interface UsageReport {
  readonly usage: TokenUsage
  readonly isFinal: boolean
  readonly model?: string | undefined
}

/** Reports a message's tokens if they are new. Later figures replace early ones field by field. */
export function reportUsage(
  { conversationId, messageId }: MessageRef,
  { usage: stated, isFinal: final, model: statedModel }: UsageReport,
  output: SessionOutput,
): void {
  const known = output.state.usageOf(conversationId, messageId)
  if (known?.final && !final) return
  const isSameState = known?.final === final
  if (known && isSameState && isSameUsage(known, stated)) return
  const usage = known ? mergeTokens(known, stated) : stated
  if ((known && isSameState && isSameUsage(known, usage)) || !hasCounts(usage)) return
  const model = statedModel ?? known?.model
  if (model === undefined) output.emit({ type: 'usage:reported', conversationId, messageId, usage, final })
  else output.emit({ type: 'usage:reported', conversationId, messageId, usage, final, model })
}

/** Reports that the known tokens of a message are final: a person stopped it, so no line states later ones. */
export function finalizeTokens(ref: MessageRef, output: SessionOutput): void {
  const known = output.state.usageOf(ref.conversationId, ref.messageId)
  if (known) reportUsage(ref, { usage: known, isFinal: true }, output)
}

interface AgentResultTokens {
  /** The call whose result reports the end of the run. */
  readonly callId: string
  readonly record: JsonObject
  readonly report: string | undefined
}

/** Reports the tokens of an agent's last message that the result of its call states. */
export function reportAgentTokens(
  conversationId: string,
  { callId, record, report }: AgentResultTokens,
  output: SessionOutput,
): void {
  const stated = apiTokens(asObject(record.usage))
  const total = asFiniteNumber(record.totalTokens) ?? asFiniteNumber(record.total_tokens)
  const usage: TokenUsage = hasCounts(stated) || total === undefined ? stated : { unsplitTokens: total }
  const model = asString(record.resolvedModel)
  reportTokensOfRun(conversationId, { run: callId, usage, isFinal: true, model, report }, output)
}

interface NotifiedTokens {
  /** The call that started the run, or another id of the run. */
  readonly run: string
  readonly total: number
  readonly report: string | undefined
}

/**
 * Reports the tokens of an agent's last message that a notification states as one sum. Before 2.1.280, the sum may lack
 * a part of the output, so it stays provisional.
 */
export function reportNotifiedTokens(
  conversationId: string,
  { total, ...run }: NotifiedTokens,
  output: SessionOutput,
): void {
  const isFinal = isAtLeast(output.state.facts.version, [2, 1, 280])
  reportTokensOfRun(conversationId, { ...run, usage: { unsplitTokens: total }, isFinal }, output)
}

/** The tokens of the last message of a run, as the end of the run states them. */
interface RunTokens extends UsageReport {
  readonly run: string
  readonly report: string | undefined
}

/**
 * A stream has only the first figures of an agent's last message. It may also lack the message: then the tokens get an
 * entry of their own.
 */
function reportTokensOfRun(
  conversationId: string,
  { run, report, ...tokens }: RunTokens,
  output: SessionOutput,
): void {
  if (contextSize(tokens.usage) <= 0) return
  const messageId = lastMessageOf(conversationId, output.state)
  const ref = messageId === undefined ? undefined : { conversationId, messageId }
  if (ref && hasText(report, ref, output.state)) completeTokens(ref, tokens, output)
  else reportTokensOfResult({ conversationId, messageId: toolResultBlockId(run) }, tokens, output)
}

/** Completes the tokens of an agent's last message. A sum without parts is that of the message, so the rest of it is output. */
function completeTokens(
  ref: MessageRef,
  { usage: stated, isFinal }: UsageReport,
  output: SessionOutput,
): void {
  const known = output.state.usageOf(ref.conversationId, ref.messageId)
  if (known?.final) return
  const { unsplitTokens, ...split } = stated
  const usage: Mutable<TokenUsage> = split
  if (known && unsplitTokens !== undefined) {
    const outputTokens = unsplitTokens - contextSize({ ...known, outputTokens: 0 })
    if (outputTokens < (known.outputTokens ?? 0)) return
    usage.outputTokens = outputTokens
  } else if (unsplitTokens !== undefined) usage.unsplitTokens = unsplitTokens
  reportUsage(ref, { usage, isFinal }, output)
}

function reportTokensOfResult(
  { conversationId, messageId }: MessageRef,
  { usage, isFinal: final, model: stated }: UsageReport,
  output: SessionOutput,
): void {
  const known = output.state.usagesOf(conversationId)
  const message = messageOfResult({ ...usage, final }, known)
  // The message states the parts of a sum.
  if (message && usage.unsplitTokens !== undefined) return
  if (message)
    return reportUsage({ conversationId, messageId: message.messageId }, { usage, isFinal: final }, output)
  const earlier = output.state.usageOf(conversationId, messageId)
  if (earlier && !isMoreExact({ usage, isFinal: final }, earlier)) return
  const model = stated ?? known.at(-1)?.model
  output.emit({ type: 'usage:reported', conversationId, messageId, usage, final, fromResult: true, model })
}

/** The result of a call divides the sum that the notification before it has stated. */
function isMoreExact({ usage, isFinal }: UsageReport, earlier: MessageUsage): boolean {
  const isDivided = usage.unsplitTokens === undefined
  return (isFinal && !earlier.final) || (isDivided && earlier.unsplitTokens !== undefined)
}

function hasText(
  text: string | undefined,
  { conversationId, messageId }: MessageRef,
  state: SessionLookups,
): boolean {
  for (const block of state.messageFromEnd(conversationId, messageId))
    if (block.type === 'assistant_text') return block.content === text
  return false
}

/**
 * Replaces known figures by later ones. Zero replaces none, as in Claude Code itself: the end of a message may state
 * zero for the tokens of its input.
 */
function mergeTokens(known: TokenUsage, later: TokenUsage): TokenUsage {
  const usage: Mutable<TokenUsage> = {}
  for (const name of TOKEN_COUNTS) {
    const count = later[name] || (known[name] ?? later[name])
    if (count !== undefined) usage[name] = count
  }
  return usage
}

function isSameUsage(left: TokenUsage, right: TokenUsage): boolean {
  return TOKEN_COUNTS.every((name) => left[name] === right[name])
}
