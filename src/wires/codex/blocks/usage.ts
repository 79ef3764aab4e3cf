import { omitUndefined } from '../../../core/json/fields.ts'
import { asFiniteNumber, asObject } from '../../../core/json/values.ts'
import { MAIN, type MessageUsage, TOKEN_COUNTS, type TokenUsage } from '../../../core/state/session.ts'
import { type TokenFields, tokensIn } from '../../../programs/token-fields.ts'
import type { SessionOutput } from '../../../reading/context.ts'
import type { CodexContext, CodexMemory } from '../context.ts'
import type { CodexEventOf } from '../events/event.ts'
import { completeRevert } from './rewind.ts'

/**
 * Reports the tokens of a reply. A report with no more tokens than the thread has had is a repeated one. The tokens
 * belong to the last text of the reply. A reply of calls alone has no text, so the tokens of the thread so far
 * identify it.
 */
export function reportUsage(
  threadId: string,
  { total, last, sum = {}, time, isContextFull, contextTokens }: CodexEventOf<'usage'>,
  context: CodexContext,
): void {
  const key = context.threadKey(threadId)
  // The first message of a fork has the tokens of its base.
  if (!context.isKnownThread(threadId)) return
  if (context.isMain(threadId) && contextTokens !== undefined && !isContextFull)
    context.updateFacts({ contextTokens })
  else if (context.isMain(threadId))
    reportContext(isContextFull ? total : last && tokensOf(last), isContextFull, context)
  if (last) completeRevert(threadId, total - tokensOf(last), time, context)
  const before = context.notes.values.totals.get(threadId)
  if (total <= (before ?? 0)) return noteLowerTotal(threadId, total, context.notes)
  context.notes.setEntry('totals', threadId, total)
  const conversationId = context.conversationOf(threadId)
  const earlier = context.state.usagesOf(conversationId)
  const usage = last && !lacksTokens(last, { before, total, earlier }) ? last : tokensSince(earlier, sum)
  // A full context window moves the total without a reply.
  if (!hasTokens(usage)) return
  // After a revert, another reply may have the same total.
  const messageId =
    context.notes.values.replies.get(key) ?? `${context.notes.values.turns.get(key) || threadId}:${total}`
  const model = modelOf(threadId, context)
  context.notes.removeEntry('replies', key)
  context.notes.removeEntry('models', key)
  context.emit({ type: 'usage:reported', conversationId, messageId, usage, final: true, model })
  if (context.isMain(threadId)) settleAnsweredTurn(context)
}

/** The tokens of a reply come behind its calls. Files of early versions have nothing else behind an answer. */
function settleAnsweredTurn(context: CodexContext): void {
  const { turns, reports, isOpened } = context.notes.values
  // A state does not show the form of the running turn.
  if (isOpened || turns.get(MAIN) !== undefined || reports.get(MAIN) === 'items') return
  if (context.state.blocksOf(MAIN).at(-1)?.type === 'assistant_text') context.turn.settle()
}

interface Totals {
  /** The tokens of the thread before the reply, if a report has stated them. */
  readonly before: number | undefined
  readonly total: number
  readonly earlier: readonly MessageUsage[]
}

/** Whether the thread has more tokens than its replies and this one: a request of this reply has no report of its own. */
function lacksTokens(last: TokenUsage, { before, total, earlier }: Totals): boolean {
  if (before === undefined || !hasTokens(last) || total - before <= tokensOf(last)) return false
  // A thread that goes on from another one has the tokens of that one too.
  return earlier.reduce((all, entry) => all + tokensOf(entry), 0) === before
}

/**
 * Reports how full main's context is, from the time it did not fit: no reply's tokens show that. Until then, the last
 * reply's tokens are the same number.
 */
function reportContext(
  contextTokens: number | undefined,
  isFull: true | undefined,
  output: SessionOutput,
): void {
  if (contextTokens === undefined || contextTokens === 0) return
  if (isFull || output.state.facts.contextTokens !== undefined) output.updateFacts({ contextTokens })
}

/** A process that goes on with a thread may count less than the one before, without the turns that the person took back. */
function noteLowerTotal(threadId: string, total: number, notes: CodexContext['notes']): void {
  if (total === notes.values.totals.get(threadId)) notes.removeEntry('lowerTotals', threadId)
  else notes.setEntry('lowerTotals', threadId, total)
}

/** Counts the tokens of a new prompt from a lower total that came since the last one. */
export function countFromLowerTotal(threadId: string, notes: CodexContext['notes']): void {
  const total = notes.values.lowerTotals.get(threadId)
  if (total === undefined) return
  notes.removeEntry('lowerTotals', threadId)
  notes.setEntry('totals', threadId, total)
}

/** Returns the number of all tokens. */
export function tokensOf({
  inputTokens = 0,
  outputTokens = 0,
  cacheReadTokens = 0,
  cacheWriteTokens = 0,
}: TokenUsage): number {
  return inputTokens + outputTokens + cacheReadTokens + cacheWriteTokens
}

/** Returns the tokens of a process of `codex exec`, which reports those of the thread so far. */
function tokensSince(earlier: readonly MessageUsage[], sum: TokenUsage): TokenUsage {
  const counts = TOKEN_COUNTS.flatMap((name) => {
    const count = sum[name]
    if (count === undefined) return []
    const before = earlier.reduce((total, entry) => total + (entry[name] ?? 0), 0)
    return [[name, Math.max(0, count - before)]]
  })
  return Object.fromEntries(counts)
}

/** Reads the model of a thread's next tokens. */
export function readModel(threadId: string, model: string | undefined, context: CodexContext): void {
  if (model === undefined) return
  if (context.isMain(threadId)) context.updateFacts({ model })
  else if (modelOf(threadId, context) !== model) context.notes.setEntry('models', threadId, model)
}

function modelOf(threadId: string, memory: CodexMemory): string | undefined {
  if (memory.isMain(threadId)) return memory.state.facts.model
  return (
    memory.notes.values.models.get(threadId) ??
    memory.state.usagesOf(memory.conversationOf(threadId)).at(-1)?.model
  )
}

/** Codex counts the cached tokens and those written to the cache as input. */
const TOKENS: TokenFields = {
  inputTokens: 'input_tokens',
  outputTokens: 'output_tokens',
  cacheReadTokens: 'cached_input_tokens',
  cacheWriteTokens: 'cache_write_input_tokens',
  reasoningTokens: 'reasoning_output_tokens',
  holdsCached: true,
}

const TOKENS_OF_APP_SERVER: TokenFields = {
  inputTokens: 'inputTokens',
  outputTokens: 'outputTokens',
  cacheReadTokens: 'cachedInputTokens',
  cacheWriteTokens: 'cacheWriteInputTokens',
  reasoningTokens: 'reasoningOutputTokens',
  holdsCached: true,
}

/** Reads tokens. */
export function readTokens(value: unknown): TokenUsage | undefined {
  const counts = asObject(value)
  const isOfAppServer = !Object.keys(counts).some((name) => name.includes('_'))
  const tokens = tokensIn(counts, isOfAppServer ? TOKENS_OF_APP_SERVER : TOKENS)
  return Object.keys(tokens).length === 0 ? undefined : tokens
}

/** Returns the tokens of a whole thread so far. */
export function totalOf(value: unknown): number | undefined {
  const counts = asObject(value)
  const total = asFiniteNumber(counts.total_tokens ?? counts.totalTokens)
  const input = asFiniteNumber(counts.input_tokens ?? counts.inputTokens)
  const output = asFiniteNumber(counts.output_tokens ?? counts.outputTokens) ?? 0
  return total ?? (input === undefined ? undefined : input + output)
}

/** Returns the report of a reply's tokens, and none if the thread's are not known: then it may be a repeated one. */
export function usageEvent(
  { threadId, time }: Pick<CodexEventOf<'usage'>, 'threadId' | 'time'>,
  { last, total }: { readonly last: unknown; readonly total: unknown },
): readonly CodexEventOf<'usage'>[] {
  const [tokens, sum] = [readTokens(last), totalOf(total)]
  if (!tokens || sum === undefined) return []
  const isContextFull = sum > 0 && !hasTokens(readTokens(total)) ? true : undefined
  // Behind a compaction the program states the new size of the context in the place of a reply's tokens.
  const contextTokens = hasTokens(tokens) ? undefined : totalOf(last) || undefined
  return [
    omitUndefined({
      type: 'usage',
      threadId,
      time,
      total: sum,
      last: tokens,
      sum: readTokens(total),
      isContextFull,
      contextTokens,
    }),
  ]
}

/** Whether any count is above 0. */
function hasTokens(usage: TokenUsage = {}): boolean {
  return TOKEN_COUNTS.some((name) => usage[name])
}
