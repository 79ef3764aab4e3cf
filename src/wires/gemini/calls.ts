import type { IncomingBlock } from '../../core/events/event.ts'
import { omitUndefined } from '../../core/json/fields.ts'
import { asObject, asString, isString, parseJson } from '../../core/json/values.ts'
import { type BlockOf, toolResultBlockId } from '../../core/state/block.ts'
import type { RequestFacts } from '../../core/state/request.ts'
import { MAIN } from '../../core/state/session.ts'
import { outputIn, resultsIn } from '../../programs/gemini/parts.ts'
import { gemini } from '../../programs/gemini/program.ts'
import { agentEndIn, exitCodeIn, fileChangesOf, todosIn } from '../../programs/gemini/tool-result.ts'
import type { SessionOutput } from '../../reading/context.ts'
import { endAgent } from '../kit/abandon.ts'
import { callBlock, resultBlock, statusOf } from '../kit/blocks.ts'
import {
  labelsOfAnswers,
  permissionTitle,
  questionFacts,
  readQuestions,
  tracedRequest,
} from '../kit/requests.ts'
import { startAgent } from './agents.ts'
import type { Call, StoredCall, StoredMessage } from './messages.ts'
import type { GeminiContext } from './notes.ts'
import { showWork, type Thread } from './thread.ts'

/** Whether a call of that tool starts an agent. */
export function isAgentTool(name: string): boolean {
  return gemini.tools.agent.includes(name)
}

/** Returns the block of a call. */
export function blockOfCall(
  { id: toolUseId, name: toolName, input, messageId, time: timestamp }: Call,
  status: 'pending' | 'complete' | 'error',
): IncomingBlock {
  return omitUndefined(callBlock({ toolName, toolUseId, input, messageId, timestamp }, status))
}

/** Returns the call that a block shows. */
export function callOf({ id, toolName: name, input, messageId, timestamp: time }: BlockOf<'tool_use'>): Call {
  return { id, name, input, messageId, time }
}

/** The result of a call. */
interface CallResult {
  readonly output: unknown
  readonly isError: boolean
  readonly display?: unknown
  readonly time: string | undefined
}

/** Shows a result. Only a call that succeeded changes files and the plan. */
export function showResult(
  conversationId: string,
  { id: toolUseId, name: toolName, input }: Call,
  { output, isError, display, time: timestamp }: CallResult,
  session: SessionOutput,
): void {
  const answered = { call: { toolName, input }, record: asObject(display), output }
  const changes = isError ? undefined : fileChangesOf(answered)
  const exitCode = exitCodeIn(toolName, output)
  session.upsert(conversationId, resultBlock({ toolUseId, output, isError, exitCode, changes, timestamp }))
  if (!isError && gemini.tools.todo?.includes(toolName))
    session.emit({ type: 'todos:updated', conversationId, todos: todosIn(input) })
}

type MessageRef = Pick<StoredMessage, 'id' | 'time'>

/** Shows the calls of a reply in a file, and then their results. A call that a file has shown adds nothing. */
export function showStoredCalls(
  thread: Thread,
  calls: readonly StoredCall[],
  message: MessageRef,
  context: GeminiContext,
): void {
  const started = calls.filter((call) => startStoredCall(thread, call, message, context))
  for (const call of started) endStoredCall(thread, call, message, context)
}

/** Returns whether the result of the call may be new. */
function startStoredCall(
  thread: Thread,
  stored: StoredCall,
  message: MessageRef,
  context: GeminiContext,
): boolean {
  const { conversationId, key } = thread
  const { id, name, status, agentId } = stored
  const call = storedCall(stored, message)
  const known = context.state.findBlock(conversationId, id)
  context.notes.setEntry('places', key, { id })
  const isNew = isAgentTool(name) ? !context.state.agentOfCall(id) : !known
  if (key === MAIN && isNew) context.turn.noteWork(stored.time)
  if (isAgentTool(name)) {
    startAgent(conversationId, { ...call, agentId, report: agentEndOf(stored).report }, context)
    return true
  }
  const isFromFile = known?.type === 'tool_use' && known.messageId !== undefined
  if (isFromFile && !context.state.isOpen(conversationId, id)) return false
  const block = blockOfCall(call, isFailure(status) ? 'error' : status === 'success' ? 'complete' : 'pending')
  if (known) context.upsert(conversationId, block)
  else showWork(thread, block, context)
  return true
}

function endStoredCall(thread: Thread, stored: StoredCall, message: MessageRef, output: SessionOutput): void {
  const { conversationId } = thread
  const { id, name, status, time, display } = stored
  if (status !== 'success' && !isFailure(status)) return
  const { isError: hasFailed, report } = agentEndOf(stored)
  const isError = isFailure(status)
  if (isAgentTool(name))
    return endAgent(id, { isError: isError || hasFailed, output: report, timestamp: time }, output)
  const call = storedCall(stored, message)
  const result = { output: outputIn(stored.result), isError, display, time }
  showRequest(conversationId, call, { ...result, status }, output)
  showResult(conversationId, call, result, output)
}

function storedCall({ id, name, input }: StoredCall, { id: messageId, time }: MessageRef): Call {
  return { id, name, input, messageId, time }
}

function isFailure(status: string): boolean {
  return status === 'error' || status === 'cancelled'
}

function agentEndOf({ result, display }: StoredCall) {
  return agentEndIn(outputIn(result), display)
}

/** Shows what the person was asked. Only a question, and a call that the person refused, leave a trace in the file. */
function showRequest(
  conversationId: string,
  call: Call,
  result: CallResult & { readonly status: string },
  output: SessionOutput,
): void {
  const facts = isQuestion(call) ? question(call, result) : refusal(call, result)
  if (!facts) return
  const request = tracedRequest({ ...facts, toolUseId: call.id, timestamp: result.time })
  output.upsert(conversationId, request)
}

function isQuestion({ name }: Call): boolean {
  return gemini.tools.question?.includes(name) === true
}

function question({ input }: Call, { output, isError }: CallResult): RequestFacts {
  const questions = readQuestions(asObject(input).questions)
  const facts = questionFacts(questions, { fallbackTitle: 'A question' })
  if (isError) return { ...facts, denied: true }
  const answers = asObject(asObject(parseJson(asString(output) ?? '')).answers)
  const answer = labelsOfAnswers(questions, ({ multiple }, at) => {
    const words = asString(answers[String(at)]) || undefined
    return multiple ? words?.split(', ') : words
  })
  return omitUndefined({ ...facts, answer })
}

/** The option of a permission that refuses the call. */
const REFUSAL = 'cancel'

function refusal(
  { name, input }: Call,
  { output, status }: CallResult & { readonly status: string },
): RequestFacts | undefined {
  if (status !== 'cancelled' || !isString(output) || !output.includes('User denied execution'))
    return undefined
  const { command, path } = gemini.fields
  const subject = [...command, ...path].map((field) => asString(asObject(input)[field])).find(Boolean)
  return { kind: 'permission', title: permissionTitle(name, subject), denied: true, answer: REFUSAL }
}

/** Shows the results of calls that have none yet. A file has each result twice: with the call, and as a message. */
export function answerOpenCalls(
  { conversationId }: Thread,
  { parts, time }: StoredMessage,
  session: SessionOutput,
): void {
  for (const { id, response, output } of resultsIn(parts.filter(({ type }) => type !== 'text'))) {
    if (id === undefined) continue
    const known = session.state.findBlock(conversationId, id)
    if (known?.type !== 'tool_use' || session.state.findBlock(conversationId, toolResultBlockId(known.id)))
      continue
    const result = { output, isError: response.error !== undefined, time }
    endCall(conversationId, callOf(known), result, session)
  }
}

/** Shows that a call has ended, and its result. */
export function endCall(conversationId: string, call: Call, result: CallResult, output: SessionOutput): void {
  output.upsert(conversationId, blockOfCall(call, statusOf(result.isError)))
  showResult(conversationId, call, result, output)
}
