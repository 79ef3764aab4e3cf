import { omitUndefined } from '../../core/json/fields.ts'
import { asObject, asString, type JsonObject } from '../../core/json/values.ts'
import { toolResultBlockId } from '../../core/state/block.ts'
import type { RequestFacts } from '../../core/state/request.ts'
import { MAIN } from '../../core/state/session.ts'
import { chosenOption, type Decided, type RequestReply } from '../kit/request-reply.ts'
import { type Answer, completeRequest, isKnownRequest, labelOptions, questionFacts } from '../kit/requests.ts'
import type { PiContext } from './notes.ts'

// Only extensions ask the person, and only through `--mode rpc`. No line links a request to its call: it is the call
// whose tool has started last.

/** Shows a request of an extension. Other calls of its user interface want no answer. */
export function translateRequest(raw: JsonObject, context: PiContext): void {
  const { id, method } = raw
  if (typeof id !== 'string' || !DIALOGS.has(method) || isKnownRequest(MAIN, id, context)) return
  const toolUseId = context.notes.values.startedCall
  if (toolUseId === undefined && context.state.turn.status !== 'running')
    context.notes.remember({ dialog: id })
  // A repeated request is of a call that has ended. It starts nothing.
  const result = context.state.findBlock(MAIN, toolResultBlockId(toolUseId ?? ''))
  const status = result && !context.state.isOpen(MAIN, result.id) ? 'complete' : 'pending'
  const title = asString(raw.title) ?? asString(raw.message) ?? ''
  const facts = isPermission(raw) ? permission(title, raw) : question(title, raw)
  context.upsert(MAIN, { id, type: 'request', status, ...facts, toolUseId })
}

const DIALOGS: ReadonlySet<unknown> = new Set(['select', 'confirm', 'input', 'editor'])

const YES = /^(?:y|yes|ok|allow|approve|accept|continue|proceed)\b/i
const NO = /^(?:n|no|deny|block|reject|cancel|abort|stop)\b/i

/** Whether the request asks for a permission: the person confirms, or chooses between a yes and a no. */
function isPermission({ method, options }: JsonObject): boolean {
  if (method === 'confirm') return true
  const labels = labelOptions(options)
  return [YES, NO].every((word) => labels.some(({ label }) => word.test(label)))
}

function permission(title: string, { method, options, message }: JsonObject): RequestFacts {
  const choices = labelOptions(options)
  const words = typeof message === 'string' && message !== title ? message : undefined
  const data = omitUndefined({ method, message: words })
  return omitUndefined({
    kind: 'permission',
    title,
    options: choices.length > 0 ? choices : labelOptions(['Yes', 'No']),
    data,
  })
}

function question(title: string, { options }: JsonObject): RequestFacts {
  return questionFacts([{ text: title, options: labelOptions(options) }], { fallbackTitle: title })
}

/** Translates the client's answer. A cancelled dialog has none. */
export function translateAnswer(raw: JsonObject, context: PiContext): void {
  const request = context.state.findBlock(MAIN, asString(raw.id) ?? '')
  if (request?.type !== 'request' || request.answer !== undefined) return
  // The end comes first: a final block is new content of a turn.
  if (context.notes.values.dialog === request.id) endDialogTurn(context)
  completeRequest(request, answerOf(request, raw), context)
}

function answerOf({ kind, options }: RequestFacts, { value, confirmed }: JsonObject): Answer {
  const chosen =
    typeof confirmed === 'boolean' ? (confirmed ? options?.[0]?.id : options?.at(-1)?.id) : asString(value)
  if (chosen === undefined) return {}
  if (kind === 'question') return { answer: [[chosen]] }
  return NO.test(chosen) ? { answer: chosen, denied: true } : { answer: chosen }
}

/** Ends the turn that a dialog between two turns has started, as the turn before it ended. */
function endDialogTurn(context: PiContext): void {
  context.notes.remember({ dialog: undefined })
  const { status, error } = context.notes.values.lastTurn ?? {}
  const outcome = status === 'failed' || status === 'interrupted' ? status : 'finished'
  context.turn.end({ outcome, error })
}

/** Answers a dialog of an extension with a line to the standard input. A refusal without an option cancels the dialog. */
export function piReply(decided: Decided): RequestReply {
  const { request, decision } = decided
  const answer = decision.denied && decision.answer === undefined ? { cancelled: true } : chosenValue(decided)
  return { type: 'message', message: { type: 'extension_ui_response', id: request.id, ...answer } }
}

function chosenValue(decided: Decided): JsonObject {
  const value = chosenOption(decided, undefined)
  const { data, options } = decided.request
  return asObject(data).method === 'confirm' ? { confirmed: value === options?.[0]?.id } : { value }
}
