import { omitUndefined } from '../../../json/omit-undefined.ts'
import { checkOf } from '../../../json/shape/check-shape.ts'
import { asArray, asObject, asString, isString, type JsonObject } from '../../../json/values.ts'
import type { BlockOf } from '../../../state/block.ts'
import { REQUEST_FACTS, type RequestFacts } from '../../../state/request.ts'
import type { AgUiContext } from '../context.ts'
import { ownId } from '../ids.ts'
import type { KnownBlock } from '../memory.ts'

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
  if (context.find(place, 'activity')?.block.type === 'request') return
  const slot = context.slotOf(place, 'activity')
  const block: RequestBlock = {
    type: 'request',
    ...slot,
    status: 'pending',
    ...readFacts(interrupt, context),
  }
  context.show({ block, order: context.nextOrder() })
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
    const known = findRequest(asString(entry.interruptId) ?? '', context)
    if (known) context.show({ ...known.known, block: answered(known.block, entry) })
  }
  for (const place of context.memory.interrupts.values()) {
    const known = context.block(place)
    if (known?.block.status === 'pending')
      context.show({ ...known, block: { ...known.block, status: 'complete' } })
  }
  for (const [id] of context.memory.interrupts.entries()) context.removeEntry('interrupts', id)
}

function findRequest(
  id: string,
  context: AgUiContext,
): { readonly known: KnownBlock; readonly block: RequestBlock } | undefined {
  const place = context.memory.interrupts.get(id)
  const known =
    (place && context.block(place)) ?? context.find(context.placeOf({}, 'message', id), 'activity')
  return known?.block.type === 'request' ? { known, block: known.block } : undefined
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
