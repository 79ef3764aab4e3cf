import { omitUndefined } from '../../core/json/fields.ts'
import { asArray, asObject, asString, type JsonObject } from '../../core/json/values.ts'
import { pendingRequests } from '../../core/selectors/requests.ts'
import type { BlockOf } from '../../core/state/block.ts'
import type { SessionConversationState } from '../../core/state/session.ts'
import { HubError } from '../hub/hub-error.ts'

/** The decision of a page about a permission. */
export interface PageApproval {
  readonly id: string
  readonly isApproved: boolean
  readonly reason?: string
  /** Whether the page gives it with this request. It repeats those of its messages. */
  readonly isNew: boolean
}

/** Returns the approvals in the body of a page: `approval`, and those in its messages and the messages of agents. */
export function approvalsIn(body: JsonObject): readonly PageApproval[] {
  const repeated = toolPartsIn(asArray(body.messages))
    .filter(({ state }) => state === 'approval-responded')
    .map(({ approval }) => approvalOf(asObject(approval), false))
  const all = [approvalOf(asObject(body.approval), true), ...repeated]
  const byId = new Map<string, PageApproval>()
  for (const each of all) if (each && !byId.has(each.id)) byId.set(each.id, each)
  return [...byId.values()]
}

/** Whether the body has an `approval` in another form. */
export function hasWrongApproval({ approval }: JsonObject): boolean {
  const { id, approved } = asObject(approval)
  return approval !== undefined && !(asString(id) !== undefined && typeof approved === 'boolean')
}

function approvalOf({ id, approved, reason }: JsonObject, isNew: boolean): PageApproval | undefined {
  const known = asString(id)
  if (known === undefined) return undefined
  return omitUndefined({ id: known, isApproved: approved === true, reason: asString(reason), isNew })
}

/** The output of an agent's part has messages of its own. A page may send agents of any depth, so nothing calls itself. */
function toolPartsIn(messages: readonly unknown[]): readonly JsonObject[] {
  const parts: JsonObject[] = []
  const add = (message: unknown): void => {
    for (const part of asArray(asObject(message).parts)) parts.push(asObject(part))
  }
  messages.forEach(add)
  for (const { output } of parts) asArray(asObject(output).messages).forEach(add)
  return parts
}

/** Returns the approvals whose requests wait. */
export function openApprovals(
  state: SessionConversationState,
  approvals: readonly PageApproval[],
): readonly PageApproval[] {
  const open = new Set(pendingRequests(state).map(({ block }) => block.id))
  return approvals.filter(({ id }) => open.has(id))
}

/** Returns why the session does not have what the page has decided: another decision, or no such request. */
export function lostApproval(
  state: SessionConversationState,
  approvals: readonly PageApproval[],
): HubError | undefined {
  for (const { id, isApproved } of approvals) {
    const request = requestIn(state, id)
    if (!request) return new HubError('no-such-request', `${id}: no conversation has this request`)
    const { status, answer, denied = false } = request
    const isAnswered = status !== 'pending' && (answer !== undefined || denied)
    if (isAnswered && denied === isApproved)
      return new HubError('not-pending', `Somebody else has ${denied ? 'refused' : 'allowed'} it already.`)
  }
  return undefined
}

/** Returns the answer of an approval, as a hub takes it. */
export function answerOf(
  state: SessionConversationState,
  { id, isApproved, reason }: PageApproval,
): string | { readonly denied: true; readonly comment?: string } {
  if (!isApproved) return omitUndefined({ denied: true as const, comment: reason })
  return requestIn(state, id)?.options?.[0]?.id ?? 'allow'
}

/** Returns the request with the id: the open one, if several conversations have it. */
function requestIn(
  { blocks, subagents }: SessionConversationState,
  requestId: string,
): BlockOf<'request'> | undefined {
  const found = [blocks, ...subagents.map((agent) => agent.blocks)].flatMap((each) =>
    each.flatMap((block) => (block.type === 'request' && block.id === requestId ? block : [])),
  )
  return found.find(({ status }) => status === 'pending') ?? found[0]
}
