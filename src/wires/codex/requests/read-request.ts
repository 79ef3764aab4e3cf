import { isoTime } from '../../../core/json/iso-time.ts'
import {
  asArray,
  asObject,
  asString,
  isObject,
  isString,
  type JsonObject,
} from '../../../core/json/values.ts'
import type { RequestFacts, RequestOption, RequestQuestion } from '../../../core/state/request.ts'
import { commandText } from '../../../programs/codex/command.ts'
import { COMMAND, FILE_CHANGE } from '../../../programs/codex/tool-names.ts'
import { labelOptions, permissionTitle, questionFacts, rpcIdOf } from '../../kit/requests.ts'
import type { CodexEvent } from '../events/event.ts'
import { variantName } from '../items/item.ts'

/** The requests of the program to the person, by their methods. The first two are those of earlier versions. */
const REQUESTS: Readonly<Record<string, (params: JsonObject) => RequestFacts>> = {
  execCommandApproval: (params) => ({ ...commandRequest(params), options: EARLIER_DECISIONS }),
  applyPatchApproval: (params) => ({ ...permission(FILE_CHANGE, params), options: EARLIER_DECISIONS }),
  'item/commandExecution/requestApproval': commandRequest,
  'item/fileChange/requestApproval': (params) => permission(FILE_CHANGE, params),
  'item/permissions/requestApproval': (params) => permission('permissions', params),
  'item/tool/requestUserInput': questionRequest,
  'mcpServer/elicitation/request': elicitationRequest,
}

/** Reads a request of the program to the person; undefined for any other message. */
export function readApproval({
  id,
  method,
  params,
  emittedAtMs,
}: JsonObject): readonly CodexEvent[] | undefined {
  const requestId = rpcIdOf(id)
  const read = isString(method) && Object.hasOwn(REQUESTS, method) ? REQUESTS[method] : undefined
  if (requestId === undefined || !read) return undefined
  const fields = asObject(params)
  const threadId = asString(fields.threadId) ?? asString(fields.conversationId)
  const request = { ...read(fields), data: { id, method, params: fields } }
  return [{ type: 'request', threadId, time: isoTime(emittedAtMs), requestId, request }]
}

function commandRequest(params: JsonObject): RequestFacts {
  const command = commandText(params.command)
  return permission(COMMAND, params, command === '' ? undefined : command)
}

function permission(name: string, params: JsonObject, subject = asString(params.reason)): RequestFacts {
  const toolUseId = asString(params.itemId) ?? asString(params.callId)
  const decisions = asArray(params.availableDecisions).map(variantName).filter(isString)
  return {
    kind: 'permission',
    title: permissionTitle(name, subject),
    ...(toolUseId !== undefined && { toolUseId }),
    options: decisions.length === 0 ? DECISIONS : decisions.map(optionOf),
  }
}

const LABELS: ReadonlyMap<string, string> = new Map([
  ['accept', 'Allow'],
  ['acceptForSession', 'Allow for this session'],
  ['acceptWithExecpolicyAmendment', 'Allow, and similar commands later'],
  ['decline', 'Refuse'],
  ['cancel', 'Refuse, and stop'],
  ['approved', 'Allow'],
  ['approved_for_session', 'Allow for this session'],
  ['denied', 'Refuse'],
  ['abort', 'Refuse, and stop'],
])

function optionOf(id: string): RequestOption {
  return { id, label: LABELS.get(id) ?? id }
}

/** The decisions of a request that lists none. */
const DECISIONS: readonly RequestOption[] = ['accept', 'acceptForSession', 'decline', 'cancel'].map(optionOf)
const EARLIER_DECISIONS = ['approved', 'approved_for_session', 'denied', 'abort'].map(optionOf)

/** A server of tools asks the person: for a form with that schema, or to open a page. */
function elicitationRequest({ serverName, message }: JsonObject): RequestFacts {
  return {
    kind: 'permission',
    title: permissionTitle(asString(serverName) ?? 'mcp', asString(message)),
    options: ['accept', 'decline', 'cancel'].map(optionOf),
  }
}

function questionRequest({ itemId, questions }: JsonObject): RequestFacts {
  const read = asArray(questions).map((question) => readQuestion(asObject(question)))
  const toolUseId = asString(itemId)
  return {
    ...questionFacts(read, { fallbackTitle: 'A question' }),
    ...(toolUseId !== undefined && { toolUseId }),
  }
}

function readQuestion({ question, header, options }: JsonObject): RequestQuestion {
  return {
    text: asString(question) ?? asString(header) ?? '',
    options: labelOptions(options),
  }
}

/** Reads a client's response as the answer to a request. A response to another request has none of the fields. */
export function readAnswer({ id, result }: JsonObject): readonly CodexEvent[] {
  const requestId = rpcIdOf(id)
  const { decision, action, permissions, scope, answers } = asObject(result)
  if (requestId === undefined) return []
  const chosen = variantName(decision) ?? asString(action) ?? grantOf(permissions, scope)
  if (chosen !== undefined) return [{ type: 'answer', requestId, answer: chosen }]
  if (!isObject(answers)) return []
  return [{ type: 'answer', requestId, answer: Object.values(answers).map(labelsOf) }]
}

/** Returns the decision of a person who grants some of the permissions, or none. */
function grantOf(permissions: unknown, scope: unknown): string | undefined {
  if (!isObject(permissions)) return undefined
  if (Object.values(permissions).every((granted) => granted === null)) return 'decline'
  return scope === 'session' ? 'acceptForSession' : 'accept'
}

/** An answer is `{ answers: ['…'] }`. */
function labelsOf(answer: unknown): readonly string[] {
  return asArray(asObject(answer).answers ?? answer).filter(isString)
}

/** Whether the decision refuses the call. */
export function isRefusal(answer: unknown): boolean {
  return answer === 'decline' || answer === 'cancel' || answer === 'denied' || answer === 'abort'
}
