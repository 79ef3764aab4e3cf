import { omitUndefined } from '../../core/json/fields.ts'
import { asFiniteNumber, asObject, type JsonObject } from '../../core/json/values.ts'
import { MAIN, type MessageUsage, type TokenUsage } from '../../core/state/session.ts'
import type { Memory } from '../../reading/context.ts'
import { bufferedItems } from '../../reading/notes/persistent-map.ts'
import type { Data } from './messages.ts'
import type { CopilotContext, CopilotNotes } from './notes.ts'
import { addFinalTokens, readTokens } from './reply.ts'
import type { EventPlace } from './turn.ts'

// Up to 1.0.89 a reply states its output alone, and the end of a process has all tokens of that process by model. Later
// versions state them with each reply, and the end of a process repeats the sum of the whole session.

/** A reply whose input is not known. */
interface OpenReply {
  readonly conversationId: string
  readonly entry: MessageUsage
}

/** Reports the tokens of a process that no reply of it states: of the session, since they belong to no single reply. */
export function reportProcessTokens(
  { event }: EventPlace,
  { modelMetrics, currentTokens: contextTokens }: Data<'session.shutdown'>,
  context: CopilotContext,
): void {
  const replies = openReplies(context)
  const metrics = Object.entries(asObject(modelMetrics)).map(([model, value]) => {
    const { usage } = asObject(value)
    return { model, stated: asObject(usage) }
  })
  if (replies.length === 0 || metrics.every(({ stated }) => asFiniteNumber(stated.inputTokens) === undefined))
    return
  const [first, ...others] = metrics
  const only = others.length === 0 ? first?.model : undefined
  const namedOutput = (model: string) =>
    outputOf(replies.filter(({ entry }) => (entry.model ?? only) === model))
  const { finalTokens } = context.notes.values
  const isSum = isOfSession(metrics, outputOf(replies), finalTokens)
  let unnamed = outputOf(replies.filter(({ entry }) => (entry.model ?? only) === undefined))
  if (isSum) unnamed += finalTokens.get('')?.outputTokens ?? 0
  for (const { model, stated: sum } of metrics) {
    const stated = isSum ? without(sum, countsOf(finalTokens.get(model))) : sum
    const named = namedOutput(model)
    const missing = Math.max(0, (asFiniteNumber(stated.outputTokens) ?? 0) - named)
    const output = Math.max(0, missing - unnamed)
    unnamed -= missing - output
    reportRest(`${event.id}:${model}`, { model, stated, output }, context)
  }
  for (const { conversationId, entry } of replies) finalize(conversationId, entry, only, context)
  forgetReplies(context.notes)
  context.updateFacts({ contextTokens })
}

interface ModelTokens {
  readonly model: string
  readonly stated: JsonObject
}

/** The counts of a model's tokens. The input has those of the cache. */
const COUNTS = [
  'inputTokens',
  'outputTokens',
  'cacheReadTokens',
  'cacheWriteTokens',
  'reasoningTokens',
] as const

type Counts = Readonly<Record<(typeof COUNTS)[number], number>>

/**
 * Whether the end of a process states the sum of the whole session, as some versions do. It has the tokens of all earlier
 * processes, and beside them the output of the replies of this one. Old replies do not name their model.
 */
function isOfSession(
  metrics: readonly ModelTokens[],
  outputOfReplies: number,
  finalTokens: CopilotNotes['finalTokens'],
): boolean {
  const outputs = metrics.map(({ stated }) => asFiniteNumber(stated.outputTokens) ?? 0)
  const known = finalTokens.entries().map(([, { outputTokens = 0 }]) => outputTokens)
  const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0)
  return (
    sum(outputs) >= outputOfReplies + sum(known) &&
    metrics.every(
      ({ model, stated }) =>
        (asFiniteNumber(stated.inputTokens) ?? 0) >= countsOf(finalTokens.get(model)).inputTokens,
    )
  )
}

function without(stated: JsonObject, known: Counts): JsonObject {
  const rest = COUNTS.flatMap((name) => {
    const count = asFiniteNumber(stated[name])
    return count === undefined ? [] : [[name, Math.max(0, count - known[name])] as const]
  })
  return { ...stated, ...Object.fromEntries(rest) }
}

/** Returns a model's tokens as the program counts them. */
function countsOf({
  inputTokens = 0,
  outputTokens = 0,
  reasoningTokens = 0,
  cacheReadTokens = 0,
  cacheWriteTokens = 0,
}: TokenUsage = {}): Counts {
  const input = inputTokens + cacheReadTokens + cacheWriteTokens
  return { inputTokens: input, outputTokens, reasoningTokens, cacheReadTokens, cacheWriteTokens }
}

interface Rest {
  readonly model: string
  readonly stated: JsonObject
  /** The output that no reply states. */
  readonly output: number
}

function reportRest(messageId: string, { model, stated, output }: Rest, context: CopilotContext): void {
  const { usage } = readTokens(stated)
  const rest = omitUndefined({ ...usage, outputTokens: output || undefined })
  // The sum of the session repeats the models of earlier processes.
  if (!Object.values(rest).some((count) => count > 0)) return
  addFinalTokens(model, rest, context.notes)
  context.emit({
    type: 'usage:reported',
    conversationId: MAIN,
    messageId,
    usage: rest,
    final: true,
    model,
  })
}

/** The output of a reply is final: the sum has it, too. */
function finalize(
  conversationId: string,
  { messageId, model, final: _, ...usage }: MessageUsage,
  only: string | undefined,
  context: CopilotContext,
): void {
  addFinalTokens(model ?? only, usage, context.notes)
  context.emit({
    type: 'usage:reported',
    conversationId,
    messageId,
    usage,
    final: true,
    model: model ?? only,
  })
}

/** Returns the replies of the process whose input is not known. */
function openReplies(memory: Memory<CopilotContext>): readonly OpenReply[] {
  return memory.notes.values.openReplies.entries().flatMap(([conversationId, last]) =>
    bufferedItems(last).flatMap((messageId) => {
      const entry = memory.state.usageOf(conversationId, messageId)
      return entry && !entry.final ? [{ conversationId, entry }] : []
    }),
  )
}

/** Forgets the replies of a process that is over. */
export function forgetReplies(notes: CopilotContext['notes']): void {
  for (const [conversationId] of notes.values.openReplies.entries())
    notes.removeEntry('openReplies', conversationId)
}

function outputOf(replies: readonly OpenReply[]): number {
  return replies.reduce((sum, { entry }) => sum + (entry.outputTokens ?? 0), 0)
}
