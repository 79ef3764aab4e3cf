import { asObject, isObject, type JsonObject } from '../../../core/json/values.ts'
import type { TokenUsage } from '../../../core/state/session.ts'
import { type TokenFields, tokensIn } from '../../../programs/token-fields.ts'
import type { SessionOutput } from '../../../reading/context.ts'
import type { SessionLookups } from '../../../reading/lookups.ts'
import type { OpencodeContext } from '../context.ts'
import { type MessageRef, noteSession, sessionNote } from '../place.ts'

interface TokenReport {
  readonly tokens: unknown
  readonly isFinal: boolean
  readonly model: string | undefined
}

/** Reports a message's tokens. OpenCode writes zeros before the counts are known, so all zeros mean unknown. */
export function reportTokens(
  { conversationId, messageId }: MessageRef,
  { tokens, isFinal, model }: TokenReport,
  output: SessionOutput,
): void {
  if (!isObject(tokens)) return
  const usage = tokenUsage(tokens)
  if (!Object.values(usage).some((count) => count > 0)) return
  output.emit({ type: 'usage:reported', conversationId, messageId, usage, final: isFinal, model })
}

/** OpenCode counts reasoning apart from the output, and cached tokens apart from the input. */
const TOKENS: TokenFields = {
  inputTokens: 'input',
  outputTokens: 'output',
  cacheReadTokens: 'read',
  cacheWriteTokens: 'write',
  reasoningTokens: 'reasoning',
  lacksThinking: true,
}

function tokenUsage({ input, output, reasoning, cache }: JsonObject): TokenUsage {
  const { read, write } = asObject(cache)
  return tokensIn({ input, output, reasoning: reasoning || undefined, read, write }, TOKENS)
}

const NANO = 1e9

/** Sets the cost of a session, in US dollars, to the one that OpenCode reports for it. */
export function setSessionCost(sessionId: string, dollars: number, context: OpencodeContext): void {
  const { sharesCost, reportsCost, nanoDollars = 0 } = sessionNote(sessionId, context.notes.values)
  // A session's own cost is a lower bound of the total.
  if (sharesCost) return setTotal(Math.max(totalOf(context.state), nanoDollarsOf(dollars)), context)
  // A first report that is lower than the known costs repeats an earlier one.
  if (!reportsCost && nanoDollarsOf(dollars) < nanoDollars) return
  if (!reportsCost) noteSession(sessionId, { reportsCost: true }, context.notes)
  addCost(sessionId, nanoDollarsOf(dollars - nanoDollars / NANO), context)
}

/** Adds the cost of a step, in US dollars, if OpenCode does not report the cost of the whole session. */
export function addStepCost(sessionId: string, dollars: number, context: OpencodeContext): void {
  if (!sessionNote(sessionId, context.notes.values).reportsCost)
    addCost(sessionId, nanoDollarsOf(dollars), context)
}

/** The total includes all subagents. OpenCode reports zero for a model without a known price. */
function addCost(sessionId: string, added: number, context: OpencodeContext): void {
  const total = totalOf(context.state) + added
  if (added === 0 || !Number.isSafeInteger(total)) return
  const { nanoDollars = 0 } = sessionNote(sessionId, context.notes.values)
  noteSession(sessionId, { nanoDollars: nanoDollars + added }, context.notes)
  setTotal(total, context)
}

function totalOf({ facts }: SessionLookups): number {
  return nanoDollarsOf(facts.costUsd ?? 0)
}

function setTotal(nanoDollars: number, output: SessionOutput): void {
  if (nanoDollars !== totalOf(output.state) && Number.isSafeInteger(nanoDollars))
    output.updateFacts({ costUsd: nanoDollars / NANO })
}

/** Returns a cost in US dollars as whole units of 1e-9 US dollars. */
export function nanoDollarsOf(dollars: number): number {
  return Math.round(dollars * NANO)
}
