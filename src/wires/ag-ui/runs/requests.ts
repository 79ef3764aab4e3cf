import { checkOf } from '../../../core/json/check-shape.ts'
import { omitUndefined } from '../../../core/json/fields.ts'
import { asArray, asObject, asString, isString, type JsonObject } from '../../../core/json/values.ts'
import type { BlockOf } from '../../../core/state/block.ts'
import { REQUEST_FACTS, type RequestFacts } from '../../../core/state/request.ts'
import type { AgUiContext } from '../context.ts'
import { ownId } from '../ids.ts'

type RequestBlock = BlockOf<'request'>

const isRequestFacts = /* @__PURE__ */ checkOf({ fields: REQUEST_FACTS })

/** Shows the requests that a run has ended with. The sink has shown its own as activities. */
export function showInterrupts(interrupts: unknown, context: AgUiContext): void {
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
  context.setEntry('interrupts', id, slot)
}

/** The reasons that ask for an approval. Any other reason asks for an input. */
const APPROVAL = /approv|confirm|permission|tool/i

function readFacts(
  { reason, message, toolCallId, metadata, responseSchema }: JsonObject,
  context: AgUiContext,
): RequestFacts {
  const name = asString(reason) ?? ''
  const callId = asString(toolCallId)
  const { options, questions, toolUseId } = asObject(metadata)
  const owner = callId === undefined ? undefined : context.placeOf({}, 'call', callId).id
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
export function answerInterrupts(resume: unknown, context: AgUiContext): void {
  for (const value of asArray(resume)) {
    const entry = asObject(value)
    const request = findRequest(asString(entry.interruptId) ?? '', context)
    if (request) context.show(answered(request, entry))
  }
  for (const [id, place] of context.notes.interrupts.entries()) {
    const request = findRequest(id, context)
    if (request && context.isOpen(place.conversationId, place.id))
      context.show({ ...request, status: 'complete' })
    context.removeEntry('interrupts', id)
  }
}

function findRequest(id: string, context: AgUiContext): RequestBlock | undefined {
  const place = context.notes.interrupts.get(id)
  const block =
    (place && context.findBlock(place.conversationId, place.id)) ??
    context.find(context.placeOf({}, 'message', id), 'activity')
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
