import { omitUndefined } from '../../core/json/fields.ts'
import { asArray, asObject, asString, type JsonObject } from '../../core/json/values.ts'
import { findRequest } from '../../core/selectors/requests.ts'
import type { BlockOf } from '../../core/state/block.ts'
import { isRefusal } from '../../core/state/request.ts'
import { MAIN, type SessionConversationState } from '../../core/state/session.ts'
import { HubError, noSuchRequest } from '../hub/hub-error.ts'

/** The decision of a page about a permission. */
export interface PageApproval {
  readonly id: string
  readonly isApproved: boolean
  readonly reason?: string
  /** Whether the page gives it with this request. It repeats those of its messages. */
  readonly isNew: boolean
  /** The call whose part has it. */
  readonly toolCallId?: string
}

/**
 * Returns the approvals in the body of a page: `approval`, and those of the parts of its messages. The messages in the
 * output of a part are no page's word: any tool can write such an output.
 */
export function approvalsIn(body: JsonObject): readonly PageApproval[] {
  const repeated = asArray(body.messages)
    .flatMap((message) => asArray(asObject(message).parts).map(asObject))
    .filter(({ state }) => state === 'approval-responded')
    .map(({ approval, toolCallId }) => approvalOf(asObject(approval), { isNew: false, toolCallId }))
  const all = [...repeated, approvalOf(asObject(body.approval), { isNew: true })]
  return [...new Map(all.flatMap((each) => (each ? [[each.id, each]] : []))).values()]
}

/** Whether the body has an `approval` in another form. */
export function hasWrongApproval({ approval }: JsonObject): boolean {
  const { id, approved } = asObject(approval)
  return approval !== undefined && !(asString(id) !== undefined && typeof approved === 'boolean')
}

function approvalOf(
  { id, approved, reason }: JsonObject,
  { isNew, toolCallId }: { readonly isNew: boolean; readonly toolCallId?: unknown },
): PageApproval | undefined {
  const known = asString(id)
  if (known === undefined) return undefined
  return omitUndefined({
    id: known,
    isApproved: approved === true,
    reason: asString(reason),
    isNew,
    toolCallId: asString(toolCallId),
  })
}

/** Whether the approval is of a message before the last one. Version 6 reads the stream of the answer into that message. */
export function isOfEarlier({ id }: PageApproval, messages: readonly JsonObject[]): boolean {
  const isOwn = (part: unknown) => asObject(asObject(part).approval).id === id
  const own = messages.findLast(({ parts }) => asArray(parts).some(isOwn))
  return own !== undefined && own !== messages.at(-1)
}

/** Returns the approvals whose requests wait. */
export function openApprovals(
  state: SessionConversationState,
  approvals: readonly PageApproval[],
): readonly PageApproval[] {
  return approvals.filter((each) => requestOf(state, each)?.status === 'pending')
}

/** Returns why the session does not have what the page has decided: another decision, none, or no such request. */
export function lostApproval(
  state: SessionConversationState,
  approvals: readonly PageApproval[],
): HubError | undefined {
  for (const approval of approvals) {
    const { isApproved } = approval
    const request = requestOf(state, approval)
    if (!request) return noSuchRequest()
    const { status, answer, denied = false } = request
    if (status === 'pending') continue
    const isDenied = denied || isRefusal(request, answer)
    if (answer === undefined && !isDenied)
      return new HubError('not-pending', 'Nobody can answer it now: the program waits no more.')
    if (isDenied === isApproved)
      return new HubError('not-pending', `Somebody else has ${isDenied ? 'refused' : 'allowed'} it already.`)
  }
  return undefined
}

/** Returns the answer of an approval, as a hub takes it. Throws a `HubError` if each option refuses. */
export function answerOf(
  state: SessionConversationState,
  approval: PageApproval,
): string | { readonly denied: true; readonly comment?: string } {
  if (!approval.isApproved) return omitUndefined({ denied: true as const, comment: approval.reason })
  const request = requestOf(state, approval)
  const options = request?.options ?? []
  const allows = options.find(({ id }) => request && !isRefusal(request, id))
  if (options.length > 0 && !allows) throw new HubError('wrong-answer', 'No option of the request allows it.')
  return allows?.id ?? 'allow'
}

/** Returns the request that the page has decided. An approval that a page repeats is for the call of main whose part has it. */
export function requestOf(
  state: SessionConversationState,
  { id, isNew, toolCallId }: PageApproval,
): BlockOf<'request'> | undefined {
  return findRequest(state, id, ({ conversationId, toolUseId }) => {
    return isNew || (conversationId === MAIN && toolUseId !== undefined && toolUseId === toolCallId)
  })
}
