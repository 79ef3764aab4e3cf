import { omitUndefined } from '../../core/json/fields.ts'
import { asObject, asString, isObject, isString, type JsonObject } from '../../core/json/values.ts'
import { toolResultBlockId } from '../../core/state/block.ts'
import type { RequestFacts, RequestOption } from '../../core/state/request.ts'
import type { SessionOutput } from '../../reading/context.ts'
import { show } from '../kit/blocks.ts'
import {
  type Answer,
  completeRequest,
  labelsOfAnswers,
  permissionTitle,
  questionFacts,
  type Request,
  readQuestions,
} from '../kit/requests.ts'
import type { KimiEvent } from './messages.ts'
import type { KimiContext } from './notes.ts'
import { startWork } from './steps.ts'

// The server reports a request twice, in two styles of names. The id is the same.

/** The decisions that the server takes as an answer. */
const DECISIONS: readonly RequestOption[] = [
  { id: 'approved', label: 'Approve' },
  { id: 'rejected', label: 'Reject' },
]

/** Shows a request to the person. */
export function showRequest(
  { fields, time: timestamp }: KimiEvent,
  conversationId: string,
  context: KimiContext,
): void {
  const id = idOf(fields)
  if (id === undefined || context.state.findBlock(conversationId, id)) return
  const toolUseId = asString(fields.toolCallId) ?? asString(fields.tool_call_id)
  if (toolUseId !== undefined && context.state.findBlock(conversationId, toolResultBlockId(toolUseId))) return
  const body = isObject(fields.request) ? fields.request : fields
  const facts = Array.isArray(body.questions)
    ? questionFacts(readQuestions(body.questions), { fallbackTitle: 'Question' })
    : permissionOf(body)
  startWork({}, conversationId, context)
  show(conversationId, { type: 'request', id, status: 'pending', ...facts, toolUseId, timestamp }, context)
}

function idOf({ id, approval_id, question_id }: JsonObject): string | undefined {
  return asString(id) ?? asString(approval_id) ?? asString(question_id)
}

function permissionOf({
  toolName,
  tool_name,
  action,
  display,
  tool_input_display,
}: JsonObject): RequestFacts {
  const shown = asObject(display ?? tool_input_display)
  const subject = [shown.command, shown.path, shown.url, action].find(isString)
  const title = permissionTitle(asString(toolName) ?? asString(tool_name) ?? '', subject)
  return { kind: 'permission', title, options: DECISIONS }
}

/** Completes a request with the person's answer. */
export function answerRequest({ fields }: KimiEvent, conversationId: string, output: SessionOutput): void {
  const request = output.state.findBlock(conversationId, idOf(fields) ?? '')
  if (request?.type !== 'request' || !output.state.isOpen(conversationId, request.id)) return
  const response = isObject(fields.response) ? fields.response : fields
  const answer = request.kind === 'question' ? chosenLabels(request, response) : decisionOf(response)
  completeRequest(request, answer, output)
}

/** A cancelled request has no answer. */
function decisionOf({ decision, feedback }: JsonObject): Answer {
  if (decision !== 'approved' && decision !== 'rejected') return {}
  const comment = asString(feedback) || undefined
  return omitUndefined({ answer: decision, denied: decision === 'rejected' || undefined, comment })
}

/** The answers are by the words of the question. A dismissed question has none. */
function chosenLabels({ questions }: Request, response: JsonObject): Answer {
  const answers = isObject(response.answers) ? response.answers : response
  return omitUndefined({ answer: labelsOfAnswers(questions, ({ text }) => answers[text]) })
}
