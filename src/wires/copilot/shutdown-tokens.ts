import { omitUndefined } from '../../core/json/fields.ts'
import { asFiniteNumber, asObject, asString, type JsonObject } from '../../core/json/values.ts'
import { MAIN, type MessageUsage } from '../../core/state/session.ts'
import type { Memory, SessionOutput } from '../../reading/context.ts'
import type { Data } from './messages.ts'
import type { CopilotContext } from './notes.ts'
import { readTokens } from './reply.ts'
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
  let unnamed = outputOf(replies.filter(({ entry }) => (entry.model ?? only) === undefined))
  for (const { model, stated } of ofProcess(metrics, outputOf(replies), context)) {
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
 * Returns the tokens of the process alone. Some versions state the sum of the whole session: it has the tokens of all
 * earlier processes, and beside them the output of the replies of this one. Old replies do
 * not name their model.
 */
function ofProcess(
  metrics: readonly ModelTokens[],
  outputOfReplies: number,
  context: CopilotContext,
): readonly ModelTokens[] {
  const entries = finalTokens(context)
  const output = metrics.reduce((sum, { stated }) => sum + (asFiniteNumber(stated.outputTokens) ?? 0), 0)
  const known = new Map(metrics.map(({ model }) => [model, countsOf(model, entries)]))
  const isOfSession =
    output >= outputOfReplies + entries.reduce((sum, { outputTokens = 0 }) => sum + outputTokens, 0) &&
    metrics.every(
      ({ model, stated }) =>
        (asFiniteNumber(stated.inputTokens) ?? 0) >= (known.get(model)?.inputTokens ?? 0),
    )
  if (!isOfSession) return metrics
  return metrics.map(({ model, stated }) => ({ model, stated: without(stated, known.get(model)) }))
}

function without(stated: JsonObject, known: Counts | undefined): JsonObject {
  const rest = COUNTS.flatMap((name) => {
    const count = asFiniteNumber(stated[name])
    return count === undefined ? [] : [[name, Math.max(0, count - (known?.[name] ?? 0))] as const]
  })
  return { ...stated, ...Object.fromEntries(rest) }
}

/** Returns the final tokens of main and of all agents. */
function finalTokens({ state }: CopilotContext): readonly MessageUsage[] {
  const conversations = [MAIN, ...state.agents().map(({ toolUseId }) => toolUseId)]
  return conversations.flatMap((id) => state.usagesOf(id).filter((entry) => entry.final))
}

/** Returns the sum of a model's tokens. */
function countsOf(model: string, all: readonly MessageUsage[]): Counts {
  const entries = all.filter((entry) => entry.model === model)
  const sum = (name: (typeof COUNTS)[number]) =>
    entries.reduce((total, entry) => total + (entry[name] ?? 0), 0)
  const [cacheReadTokens, cacheWriteTokens] = [sum('cacheReadTokens'), sum('cacheWriteTokens')]
  return {
    inputTokens: sum('inputTokens') + cacheReadTokens + cacheWriteTokens,
    outputTokens: sum('outputTokens'),
    reasoningTokens: sum('reasoningTokens'),
    cacheReadTokens,
    cacheWriteTokens,
  }
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
  context.emit({
    type: 'usage:reported',
    conversationId: MAIN,
    messageId,
    usage: rest,
    final: true,
    model: asString(model),
  })
}

/** The output of a reply is final: the sum has it, too. */
function finalize(
  conversationId: string,
  { messageId, model, final: _, ...usage }: MessageUsage,
  only: string | undefined,
  output: SessionOutput,
): void {
  output.emit({
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
  return memory.notes.values.openReplies.entries().flatMap(([conversationId, messageIds]) =>
    messageIds.flatMap((messageId) => {
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
