import { omitUndefined } from '../../core/json/fields.ts'
import {
  asArray,
  asFiniteNumber,
  asObject,
  asString,
  isObject,
  type JsonObject,
} from '../../core/json/values.ts'
import { type TokenUsage, uncachedInput } from '../../core/state/session.ts'
import type { TurnOutcome } from '../../core/state/turn.ts'
import type { AskedQuestion, ForeignMessage, OwnMessage, ShownCall } from '../reader.ts'
import { isCopiedEvent } from './session-folder.ts'

/** Reads the messages that ACP does not have. */
export function ownMessage({ method, params, isResponse }: ForeignMessage): OwnMessage | undefined {
  if (isResponse) {
    const promptIndex =
      method === '_x.ai/rewind/execute' &&
      params.success === true &&
      asFiniteNumber(params.target_prompt_index)
    return typeof promptIndex === 'number' ? { type: 'rewound', promptIndex } : undefined
  }
  if (method === '_x.ai/ask_user_question') return { type: 'question', ...questionIn(params) }
  const { update, sessionId, _meta } = params
  return isObject(update)
    ? ownUpdate(update, { sessionId, eventId: asObject(_meta).eventId })
    : { type: 'ignored' }
}

/** Reads the questions of a request, or of the call that asks them. */
function questionIn({ questions }: JsonObject): AskedQuestion {
  const asked = asArray(questions).map(asObject)
  const options = asArray(asked[0]?.options).flatMap((option) => asString(asObject(option).label) ?? [])
  return { title: questionTexts(questions).join('\n'), options }
}

function questionTexts(questions: unknown): readonly string[] {
  return asArray(questions).flatMap((each) => asString(asObject(each).question) ?? [])
}

/** Reads a question from its call that has ended. Its result has the answers in a sentence: `"<question>"="<labels>"`. */
export function answeredQuestion(
  { toolName, input }: ShownCall,
  rawOutput: unknown,
): AskedQuestion | undefined {
  const asked = asObject(input)
  if (toolName !== 'ask_user_question' || !Array.isArray(asked.questions)) return undefined
  const words = asString(asObject(asObject(rawOutput).UserAnswered).message)
  const answers = questionTexts(asked.questions).flatMap((text) => answerIn(words ?? '', text) ?? [])
  return omitUndefined({
    ...questionIn(asked),
    answer: answers.length === 0 ? undefined : answers.join(', '),
  })
}

function answerIn(words: string, question: string): string | undefined {
  const start = words.indexOf(`"${question}"="`)
  if (start < 0) return undefined
  const answer = words.slice(start + question.length + 4)
  // Another answer or the end of the sentence follows.
  const end = /"(?:, "|\. You can now |\.?$)/.exec(answer)
  return end ? answer.slice(0, end.index) : undefined
}

/** The ids of the session and of the event. */
interface UpdatePlace {
  readonly sessionId: unknown
  readonly eventId: unknown
}

function ownUpdate(update: JsonObject, { sessionId: ownId, eventId }: UpdatePlace): OwnMessage {
  const sessionId = asString(update.child_session_id) ?? ''
  switch (update.sessionUpdate) {
    case 'subagent_spawned': {
      const { subagent_type, description } = update
      return {
        type: 'agent-started',
        sessionId,
        agentType: asString(subagent_type),
        description: asString(description),
      }
    }
    case 'subagent_finished': {
      const status = update.status === 'completed' ? 'completed' : 'error'
      const output = asString(update.output) ?? asString(update.error)
      return {
        type: 'agent-ended',
        sessionId,
        status,
        output,
        durationMs: asFiniteNumber(update.duration_ms),
      }
    }
    case 'response_completed':
      return { type: 'response', usage: responseTokens(asObject(update.usage)) }
    case 'turn_completed':
      return endOfTurn(update, isCopiedEvent(ownId, eventId))
    case 'retry_state':
      return update.type === 'retrying'
        ? { type: 'retrying', id: `retry:${asString(eventId)}`, reason: asString(update.reason) ?? 'retry' }
        : { type: 'ignored' }
    case 'rewind_marker':
      return { type: 'rewound', promptIndex: asFiniteNumber(update.target_prompt_index) ?? 0 }
    case 'auto_compact_completed':
      return { type: 'compacted', id: `compaction:${asFiniteNumber(update.tokens_before)}` }
    default:
      return { type: 'ignored' }
  }
}

const OUTCOMES: ReadonlyMap<unknown, TurnOutcome> = new Map([
  ['cancelled', 'interrupted'],
  ['interrupted', 'interrupted'],
  ['error', 'failed'],
])

/** Returns how a turn with that reason has ended. */
export function outcomeOf(stopReason: unknown): TurnOutcome {
  return OUTCOMES.get(stopReason) ?? 'finished'
}

function endOfTurn({ prompt_id, stop_reason, agent_result, usage }: JsonObject, isCopy: boolean): OwnMessage {
  const outcome = outcomeOf(stop_reason)
  const models = Object.keys(asObject(asObject(usage).modelUsage))
  return {
    type: 'turn-ended',
    promptId: asString(prompt_id) ?? '',
    outcome,
    error: outcome === 'failed' ? asString(agent_result) : undefined,
    model: models.length === 1 ? models[0] : undefined,
    // A turn that fails at once has no tokens. Those of a stopped turn are unknown.
    usage: isObject(usage) || outcome === 'failed' ? turnTokens(asObject(usage)) : undefined,
    cost: costOf(asObject(usage)),
    isCopy,
  }
}

/** The ticks of a US dollar. */
const TICKS = 1e10

function costOf({
  costUsdTicks,
  costIsPartial,
}: JsonObject): { usd: number; isPartial: boolean } | undefined {
  const ticks = asFiniteNumber(costUsdTicks)
  return ticks === undefined ? undefined : { usd: ticks / TICKS, isPartial: costIsPartial === true }
}

/** Returns the tokens of a response. Its input lacks what came from the cache. */
export function responseTokens(usage: JsonObject): TokenUsage {
  return omitUndefined({
    inputTokens: asFiniteNumber(usage.input_tokens),
    outputTokens: asFiniteNumber(usage.output_tokens),
    reasoningTokens: asFiniteNumber(usage.reasoning_tokens),
    cacheReadTokens: asFiniteNumber(usage.cache_read_input_tokens),
    cacheWriteTokens: asFiniteNumber(usage.cache_creation_input_tokens),
  })
}

/** Returns the tokens of a turn. Its input holds what came from the cache. */
function turnTokens(usage: JsonObject): TokenUsage {
  const cacheReadTokens = asFiniteNumber(usage.cachedReadTokens)
  const cacheWriteTokens = asFiniteNumber(usage.cacheCreationTokens)
  return omitUndefined({
    inputTokens: uncachedInput(asFiniteNumber(usage.inputTokens), cacheReadTokens, cacheWriteTokens),
    outputTokens: asFiniteNumber(usage.outputTokens),
    reasoningTokens: asFiniteNumber(usage.reasoningTokens),
    cacheReadTokens,
    cacheWriteTokens,
  })
}
