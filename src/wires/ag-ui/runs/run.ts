import { checkOf } from '../../../core/json/check-shape.ts'
import { omitUndefined } from '../../../core/json/fields.ts'
import { isoTime } from '../../../core/json/iso-time.ts'
import { asArray, asObject, asString, isString, type JsonObject } from '../../../core/json/values.ts'
import type { BlockOf } from '../../../core/state/block.ts'
import { REQUEST_FACTS, type RequestFacts } from '../../../core/state/request.ts'
import { MAIN } from '../../../core/state/session.ts'
import { AG_UI } from '../../../programs/generic/program.ts'
import { type TokenFields, tokensIn } from '../../../programs/token-fields.ts'
import type { SessionOutput } from '../../../reading/context.ts'
import { completeAgents } from '../agents/run.ts'
import type { AgUiContext, AgUiMemory } from '../context.ts'
import { NO_SESSION, ownId } from '../ids.ts'
import { closeLanes } from '../messages/chunks.ts'
import { addMessage } from '../messages/parts.ts'

/** Begins a run, and with it main's turn. A run with the id of an earlier one comes again, until it has something new. */
export function startRun(event: JsonObject, context: AgUiContext): void {
  const id = asString(event.runId) ?? ''
  updateThread(asString(event.threadId), context)
  const { run, endedRuns } = context.notes.values
  if (endedRuns.get(id)) context.notes.remember({ run: { id, isRepeated: true } })
  else if (run?.id !== id) beginRun(id, event, context)
  const { messages } = asObject(event.input)
  for (const message of asArray(messages)) addMessage(asObject(message), context)
}

/** The first thread is the session. Runs of another thread are read too, and counted. */
function updateThread(id: string | undefined, output: SessionOutput): void {
  const known = output.state.facts.id
  output.updateFacts({ protocol: AG_UI })
  if (id === undefined || id === known) return
  if (known === undefined || known === NO_SESSION) output.updateFacts({ id })
  else output.reportUnknown('other-session', 'RUN_STARTED')
}

function beginRun(id: string, { input, timestamp }: JsonObject, context: AgUiContext): void {
  // The run before has ended without a report.
  if (context.notes.values.run && !context.notes.values.run.isRepeated)
    endRun({ outcome: 'interrupted' }, context)
  answerInterrupts(asObject(input).resume, context)
  context.notes.remember({ run: { id } })
  context.turn.start(isoTime(timestamp))
}

/** Ends a run. A run with interrupts goes on after the answers, so main's turn waits. */
export function finishRun(event: JsonObject, context: AgUiContext): void {
  const { type, interrupts } = asObject(event.outcome)
  closeRun(event, context)
  if (context.notes.values.run?.isRepeated) return forgetRun(context)
  const timestamp = isoTime(event.timestamp)
  if (type !== 'interrupt')
    return endRun({ outcome: type === 'cancelled' ? 'interrupted' : 'finished', timestamp }, context)
  context.turn.start()
  forgetRun(context)
  showInterrupts(interrupts, context)
}

/** Ends a run that failed. */
export function failRun(event: JsonObject, context: AgUiContext): void {
  closeRun(event, context)
  if (context.notes.values.run?.isRepeated) return forgetRun(context)
  const timestamp = isoTime(event.timestamp)
  endRun({ outcome: 'failed', error: asString(event.message), timestamp }, context)
}

function closeRun({ usage, runId }: JsonObject, context: AgUiContext): void {
  closeLanes(context)
  reportUsage(asString(runId) ?? context.notes.values.run?.id ?? '', usage, context)
}

interface RunEnd {
  readonly outcome: 'finished' | 'interrupted' | 'failed'
  readonly error?: string | undefined
  readonly timestamp?: string | undefined
}

function endRun({ outcome, error, timestamp }: RunEnd, context: AgUiContext): void {
  completeAgents(outcome === 'finished' ? 'completed' : 'error', context)
  forgetRun(context)
  context.turn.end({
    outcome,
    ...(error !== undefined && { error }),
    ...(timestamp !== undefined && { timestamp }),
  })
  context.notes.removeEntry('repeats', MAIN)
}

function forgetRun(memory: AgUiMemory): void {
  memory.notes.setEntry('endedRuns', memory.notes.values.run?.id ?? '', true)
  memory.notes.remember({ run: undefined })
  for (const [toolUseId] of memory.notes.values.agentArguments.entries())
    memory.notes.removeEntry('agentArguments', toolUseId)
  for (const [toolUseId] of memory.notes.values.starts.entries())
    if (memory.state.hasEnded(toolUseId)) memory.notes.removeEntry('starts', toolUseId)
}

/** Reports the tokens of a run, one entry for each model. The protocol has none for messages. */
function reportUsage(runId: string, usage: unknown, output: SessionOutput): void {
  for (const [at, value] of asArray(usage).entries()) {
    const entry = asObject(value)
    const messageId = at === 0 ? runId : `${runId}:${at}`
    const model = asString(entry.model)
    output.emit({
      type: 'usage:reported',
      conversationId: MAIN,
      messageId,
      usage: tokensIn(entry, TOKENS),
      final: true,
      model,
    })
    if (model !== undefined) output.addMissingFacts({ model })
  }
}

/** The protocol counts the cached tokens and those written to the cache as input. */
const TOKENS: TokenFields = {
  inputTokens: 'inputTokens',
  outputTokens: 'outputTokens',
  cacheReadTokens: 'cachedInputTokens',
  cacheWriteTokens: 'cacheWriteInputTokens',
  reasoningTokens: 'reasoningTokens',
  holdsCached: true,
}

type RequestBlock = BlockOf<'request'>

const isRequestFacts = /* @__PURE__ */ checkOf({ fields: REQUEST_FACTS })

/** Shows the requests that a run has ended with. The sink has shown its own as activities. */
function showInterrupts(interrupts: unknown, context: AgUiContext): void {
  for (const value of asArray(interrupts)) {
    const interrupt = asObject(value)
    const id = asString(interrupt.id)
    if (id !== undefined) showInterrupt(id, interrupt, context)
  }
}

function showInterrupt(id: string, interrupt: JsonObject, context: AgUiContext): void {
  const conversationId = context.conversationOf(interrupt)
  const place = { conversationId, id: ownId(conversationId, id) }
  if (context.find(place, 'activity')?.type === 'request') return
  const slot = context.slotOf(place, 'activity')
  context.show({ type: 'request', ...slot, status: 'pending', ...readFacts(interrupt, context) })
  context.notes.setEntry('interrupts', id, slot)
}

/** The reasons that ask for an approval. Any other reason asks for an input. */
const APPROVAL = /approv|confirm|permission|tool/i

function readFacts(
  { reason, message, toolCallId, metadata, responseSchema }: JsonObject,
  memory: AgUiMemory,
): RequestFacts {
  const name = asString(reason) ?? ''
  const callId = asString(toolCallId)
  const { options, questions, toolUseId } = asObject(metadata)
  const owner = callId === undefined ? undefined : memory.placeOf({}, 'call', callId).id
  const kind = APPROVAL.test(name) ? 'permission' : 'question'
  const base = omitUndefined({
    kind,
    title: asString(message) ?? name,
    toolUseId: asString(toolUseId) ?? owner,
    data: responseSchema ?? undefined,
  } as const)
  const facts = omitUndefined({ ...base, options, questions })
  return isFacts(facts) ? facts : base
}

function isFacts(value: object): value is RequestFacts {
  return isRequestFacts(value, undefined, [])
}

/** Closes the requests of the last interrupts: with the answers of the person, or without any. */
function answerInterrupts(resume: unknown, context: AgUiContext): void {
  for (const value of asArray(resume)) {
    const entry = asObject(value)
    const request = findRequest(asString(entry.interruptId) ?? '', context)
    if (request) context.show(answered(request, entry))
  }
  for (const [id, place] of context.notes.values.interrupts.entries()) {
    const request = findRequest(id, context)
    if (request && context.state.isOpen(place.conversationId, place.id))
      context.show({ ...request, status: 'complete' })
    context.notes.removeEntry('interrupts', id)
  }
}

function findRequest(id: string, memory: AgUiMemory): RequestBlock | undefined {
  const place = memory.notes.values.interrupts.get(id)
  const block =
    (place && memory.state.findBlock(place.conversationId, place.id)) ??
    memory.find(memory.placeOf({}, 'message', id), 'activity')
  return block?.type === 'request' ? block : undefined
}

/** The words of an answer in the payloads of applications. */
const ANSWERS = ['answer', 'optionId', 'option', 'choice', 'value', 'response', 'text']

function answered(block: RequestBlock, { status, payload }: JsonObject): RequestBlock {
  const fields = asObject(payload)
  const answer = [payload, ...ANSWERS.map((name) => fields[name])].find(isString)
  const isRefused =
    status === 'cancelled' || payload === false || fields.approved === false || fields.accepted === false
  return omitUndefined({
    ...block,
    status: 'complete',
    answer: answer ?? block.answer,
    denied: isRefused || block.denied,
    comment: asString(fields.comment) ?? asString(fields.feedback) ?? block.comment,
  })
}
