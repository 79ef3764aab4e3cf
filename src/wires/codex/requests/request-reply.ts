import { omitUndefined } from '../../../core/json/fields.ts'
import { asArray, asObject, asString, isString, type JsonObject } from '../../../core/json/values.ts'
import {
  chosenLabels,
  chosenOption,
  type Decided,
  noAnswerTaken,
  type RequestReply,
} from '../../kit/request-reply.ts'
import { variantName } from '../items/fields.ts'

/** The results of the responses, by the method of the request. */
const RESULTS: Readonly<Record<string, (decided: Decided, params: JsonObject) => JsonObject>> = {
  execCommandApproval: decisionOf,
  applyPatchApproval: decisionOf,
  'item/commandExecution/requestApproval': decisionOf,
  'item/fileChange/requestApproval': decisionOf,
  'item/permissions/requestApproval': grantOf,
  'item/tool/requestUserInput': answersOf,
  'mcpServer/elicitation/request': formOf,
}

/** Answers with the response to a JSON-RPC request of the app-server, which has no field `jsonrpc`. */
export function codexReply(decided: Decided): RequestReply {
  const { id, method, params } = asObject(decided.request.data)
  const resultOf = isString(method) && Object.hasOwn(RESULTS, method) ? RESULTS[method] : undefined
  if (!resultOf) throw noAnswerTaken(decided.request, `the method ${String(method)} is unknown`)
  return { type: 'message', message: { id, result: resultOf(decided, asObject(params)) } }
}

/** A request may offer no option but to stop the turn. */
const REFUSALS: readonly string[] = ['decline', 'denied', 'cancel', 'abort']

function choiceOf(decided: Decided): string {
  const { options = [] } = decided.request
  return chosenOption(
    decided,
    REFUSALS.find((refusal) => options.some(({ id }) => id === refusal)),
  )
}

/** Some decisions are objects, whose only key is the id of the option. */
function decisionOf(decided: Decided, { availableDecisions }: JsonObject): JsonObject {
  const chosen = choiceOf(decided)
  return { decision: asArray(availableDecisions).find((each) => variantName(each) === chosen) ?? chosen }
}

function grantOf(decided: Decided, { permissions }: JsonObject): JsonObject {
  const chosen = choiceOf(decided)
  const isGranted = chosen === 'accept' || chosen === 'acceptForSession'
  return {
    permissions: isGranted ? permissions : {},
    scope: chosen === 'acceptForSession' ? 'session' : 'turn',
  }
}

/** The program has no refusal of a question. */
function answersOf(decided: Decided, { questions }: JsonObject): JsonObject {
  const labels = chosenLabels(decided)
  const ids = asArray(questions).map((question) => asString(asObject(question).id) ?? '')
  return { answers: Object.fromEntries(ids.map((id, at) => [id, { answers: labels[at] ?? [] }])) }
}

function formOf(decided: Decided): JsonObject {
  return omitUndefined({ action: choiceOf(decided), content: decided.decision.content })
}
