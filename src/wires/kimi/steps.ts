import { omitUndefined, withChanges } from '../../core/json/fields.ts'
import { asObject, asString, type JsonObject } from '../../core/json/values.ts'
import { isModelText } from '../../core/state/block.ts'
import { MAIN } from '../../core/state/session.ts'
import { type TokenFields, tokensIn } from '../../programs/token-fields.ts'
import type { Memory, SessionOutput } from '../../reading/context.ts'
import type { SessionLookups } from '../../reading/lookups.ts'
import { noteBlock, reportUsage, show } from '../kit/blocks.ts'
import { addLine } from '../kit/lines.ts'
import { extendResumed } from '../kit/resumed-text.ts'
import { type KimiEvent, turnKey } from './messages.ts'
import type { KimiContext } from './notes.ts'

// A step is one request to the model. Its id is the same in the files and on the server, so it is the id of the
// model's message.

/** Begins a step. */
export function beginStep({ fields, time }: KimiEvent, conversationId: string, context: KimiContext): void {
  const stepId = stepIdOf(fields)
  const last = context.notes.values.steps.get(conversationId)
  if (stepId === undefined) return
  // An older step comes again.
  const isOlder = time !== undefined && last?.time !== undefined && time < last.time
  const deltas = context.notes.values.lastDeltas.get(conversationId)
  if (deltas && (isOlder || last?.id === stepId))
    context.notes.setEntry('lastDeltas', conversationId, { ...deltas, again: 0 })
  if (isOlder) return
  context.notes.setEntry('steps', conversationId, omitUndefined({ id: stepId, time }))
  if (conversationId === MAIN && last?.id !== stepId && context.notes.values.answer) context.turn.start()
  if (!isKnown(conversationId, stepId, context.state)) startWork(fields, conversationId, context)
}

function stepIdOf({ uuid, stepId }: JsonObject): string | undefined {
  return asString(stepId) ?? asString(uuid)
}

function isKnown(conversationId: string, stepId: string, state: SessionLookups): boolean {
  if (conversationId === MAIN && state.isAbandoned(stepId)) return true
  return state.usageOf(conversationId, stepId) !== undefined || state.hasBlocks(conversationId, stepId)
}

/** Starts main's turn for new work, if the input lacks its prompt. Work of an earlier turn comes again. */
export function startWork({ turnId }: JsonObject, conversationId: string, context: KimiContext): void {
  if (conversationId !== MAIN || context.state.turn.status === 'running' || context.state.turn.openBlocks)
    return
  const last = context.notes.values.turns.get(MAIN)
  const turn = Number(turnId ?? Number.NaN)
  if (last !== undefined && !(turn > last)) return
  if (Number.isFinite(turn)) context.notes.setEntry('turns', MAIN, turn)
  context.turn.start()
}

/** Returns the step of the next delta. A reader that joins in the middle of a step has missed its id. */
export function currentStep(
  fields: JsonObject,
  conversationId: string,
  notes: KimiContext['notes']['values'],
): string {
  return notes.steps.get(conversationId)?.id ?? unknownStep(fields)
}

function unknownStep({ agentId, turnId }: JsonObject): string {
  return `${turnKey(agentId, turnId)}:step`
}

/** The texts of a step have its time: the files and the server state others for them. */
function timeOf(
  messageId: string,
  conversationId: string,
  notes: KimiContext['notes']['values'],
): string | undefined {
  const step = notes.steps.get(conversationId)
  return step?.id === messageId ? step.time : undefined
}

type TextType = 'assistant_text' | 'thinking'

/** Shows a whole text of a file. The stream may have shown its beginning. */
export function showPart({ fields, time }: KimiEvent, conversationId: string, context: KimiContext): void {
  const { type, text, think } = asObject(fields.part)
  const content = asString(type === 'think' ? think : text)
  if (content === undefined || content === '') return
  const messageId = asString(fields.stepUuid) ?? currentStep(fields, conversationId, context.notes.values)
  const textType: TextType = type === 'think' ? 'thinking' : 'assistant_text'
  const texts = context.state.blocksOfMessage(conversationId, messageId).filter(isModelText)
  const known = texts.find((block) => block.type === textType && content.startsWith(block.content))
  if (known && known.content === content && !context.state.isOpen(conversationId, known.id)) return
  startWork(fields, conversationId, context)
  closeText(conversationId, messageId, context)
  const id = known?.id ?? `${messageId}:${texts.length}`
  const model = context.notes.values.models.get(conversationId)
  const timestamp = known?.timestamp ?? timeOf(messageId, conversationId, context.notes.values) ?? time
  show(
    conversationId,
    {
      type: textType,
      id,
      status: 'complete',
      content,
      messageId,
      model,
      timestamp,
    },
    context,
  )
}

/** Appends to a text of the current step. Its place in the text tells a repeated delta. */
export function appendDelta(event: KimiEvent, conversationId: string, context: KimiContext): void {
  const { fields, type, time, offset } = event
  const delta = asString(fields.delta)
  if (delta === undefined || delta === '') return
  if (isRepeated(event, conversationId, context.notes)) return
  leaveResumedStep(event, delta, conversationId, context)
  const messageId = currentStep(fields, conversationId, context.notes.values)
  const textType: TextType = type === 'thinking.delta' ? 'thinking' : 'assistant_text'
  const known = context.lastOfMessage(conversationId, messageId, (block) => block.type === textType)
  if (!known || !isModelText(known)) {
    const texts = context.state.blocksOfMessage(conversationId, messageId).filter(isModelText)
    startWork(fields, conversationId, context)
    closeText(conversationId, messageId, context)
    const id = `${messageId}:${texts.length}`
    const timestamp = timeOf(messageId, conversationId, context.notes.values) ?? time
    const block = { type: textType, id, status: 'pending', content: delta, messageId, timestamp } as const
    return show(conversationId, block, context)
  }
  if (!context.state.isOpen(conversationId, known.id)) return
  const place = offset === undefined ? context.notes.values.textPlaces.get(conversationId) : undefined
  if (place) {
    const next = extendResumed(known, { delta, place }, context)
    return context.notes.setEntry('textPlaces', conversationId, next)
  }
  const repeated = offset === undefined ? 0 : Math.max(0, known.content.length - offset)
  const rest = delta.slice(repeated)
  if (rest !== '') context.emit({ type: 'block:delta', conversationId, blockId: known.id, delta: rest })
}

/** Leaves the last step of a state for the one that has begun since, whose id the state lacks. Deltas of the last step may come again. */
function leaveResumedStep(
  { fields, time }: KimiEvent,
  delta: string,
  conversationId: string,
  memory: Memory<KimiContext>,
): void {
  const step = memory.notes.values.steps.get(conversationId)
  if (!step?.isResumed) return
  const blocks = memory.state.blocksOfMessage(conversationId, step.id)
  const isOfStep = blocks.some(
    (block) =>
      memory.state.isOpen(conversationId, block.id) || (isModelText(block) && block.content.includes(delta)),
  )
  if (!isOfStep)
    memory.notes.setEntry('steps', conversationId, omitUndefined({ id: unknownStep(fields), time }))
}

/** Whether a delta comes again: it is older than its step. Those of an agent state no place, so their times show their order. */
export function isRepeated(
  { fields, time, offset }: KimiEvent,
  conversationId: string,
  notes: KimiContext['notes'],
): boolean {
  if (time === undefined) return false
  if (time < (notes.values.steps.get(conversationId)?.time ?? '')) return true
  const delta = asString(fields.delta)
  return offset === undefined && delta !== undefined && isOfLastDeltas(delta, time, conversationId, notes)
}

/** Notes a delta. Equal ones of one millisecond are new, unless an older one has come again before them. */
function isOfLastDeltas(
  words: string,
  time: string,
  conversationId: string,
  notes: KimiContext['notes'],
): boolean {
  const last = notes.values.lastDeltas.get(conversationId)
  const lines = addLine(last, { time, words, mayComeTwice: true })
  notes.setEntry('lastDeltas', conversationId, lines)
  return lines.again !== undefined
}

/** Completes the text that the model was writing. */
export function closeText(conversationId: string, messageId: string, context: KimiContext): void {
  const last = context.lastOfMessage(conversationId, messageId)
  if (last && isModelText(last) && context.state.isOpen(conversationId, last.id))
    context.upsert(conversationId, withChanges(last, { status: 'complete' }))
}

/** Ends a step, with its tokens. Up to 0.35 nothing else says that the model has answered. */
export function endStep({ fields, time }: KimiEvent, conversationId: string, context: KimiContext): void {
  const stepId = stepIdOf(fields) ?? currentStep(fields, conversationId, context.notes.values)
  for (const id of [stepId, unknownStep(fields)]) closeText(conversationId, id, context)
  reportCounts(conversationId, stepId, fields.usage, context)
  const isLast = context.notes.values.steps.get(MAIN)?.id === stepId
  if (conversationId === MAIN && isLast && fields.finishReason === 'end_turn')
    context.turn.answer({ timestamp: time })
}

/** Reads the tokens of a request. A request for a compaction is no message of the conversation. */
export function readUsage({ fields }: KimiEvent, conversationId: string, context: KimiContext): void {
  const stepId = context.notes.values.steps.get(conversationId)?.id
  if (fields.usageScope === 'turn' && stepId !== undefined)
    reportCounts(conversationId, stepId, fields.usage, context)
}

const TOKENS: TokenFields = {
  inputTokens: 'inputOther',
  outputTokens: 'output',
  cacheReadTokens: 'inputCacheRead',
  cacheWriteTokens: 'inputCacheCreation',
}

function reportCounts(
  conversationId: string,
  messageId: string,
  counts: unknown,
  context: KimiContext,
): void {
  const usage = tokensIn(asObject(counts), TOKENS)
  // A request that was cancelled has no figures.
  if (!Object.values(usage).some((count) => count > 0)) return
  if (context.state.usageOf(conversationId, messageId)?.final) return
  const model = context.notes.values.models.get(conversationId)
  reportUsage(conversationId, { messageId, usage, model }, context)
}

/** Shows that the program requests the reply once more. The text so far was dropped. */
export function showRetry({ fields, time }: KimiEvent, conversationId: string, context: KimiContext): void {
  const messageId = asString(fields.stepId) ?? currentStep(fields, conversationId, context.notes.values)
  for (const block of context.state.blocksOfMessage(conversationId, messageId).filter(isModelText))
    show(conversationId, withChanges(block, { status: 'error' }), context)
  const { failedAttempt, maxAttempts, delayMs, statusCode, errorName, errorMessage } = fields
  const data = omitUndefined({ failedAttempt, maxAttempts, delayMs, statusCode, errorName })
  const message = asString(errorMessage) ?? 'The program tries again'
  const note = { id: `${messageId}:retry`, subtype: 'retry', message, data, timestamp: time }
  show(conversationId, noteBlock(note), context)
}

/** Reads the model of the next request. A file states the model, and the person's name for it. */
export function readRequest({ fields }: KimiEvent, conversationId: string, context: KimiContext): void {
  const model = asString(fields.model)
  if (model === undefined || fields.kind !== 'loop') return
  context.notes.setEntry('models', conversationId, model)
  if (conversationId !== MAIN) return
  context.notes.remember({ modelAlias: asString(fields.modelAlias) })
  context.updateFacts({ model })
}

/** Reads the state of an agent. The server names the model as the person does. */
export function readStatus({ fields }: KimiEvent, conversationId: string, context: KimiContext): void {
  const model = asString(fields.model)
  const { modelAlias } = context.notes.values
  if (conversationId !== MAIN || model === undefined || model === modelAlias) return
  context.notes.remember({ modelAlias: model })
  if (modelAlias === undefined) context.addMissingFacts({ model })
  else context.updateFacts({ model })
}

/** Reads the facts that bind an agent to its profile. */
export function readProfile({ fields }: KimiEvent, conversationId: string, output: SessionOutput): void {
  if (conversationId !== MAIN) return
  const { environmentDisclosure, activeToolNames } = fields
  const cwd = asString(asObject(environmentDisclosure).cwd)
  const names = Array.isArray(activeToolNames)
    ? activeToolNames.filter((name) => typeof name === 'string')
    : undefined
  output.updateFacts({ cwd, tools: names })
}
