import { isEqual } from '../../../core/json/equal.ts'
import { omitUndefined } from '../../../core/json/fields.ts'
import { asObject, asString, type JsonObject } from '../../../core/json/values.ts'
import { findBlock } from '../../../core/selectors/find.ts'
import { type ConversationBlock, requestBlockId } from '../../../core/state/block.ts'
import { relativePath } from '../../../core/state/file-change.ts'
import type { RequestFacts, RequestOption } from '../../../core/state/request.ts'
import type { SessionOutput } from '../../../reading/context.ts'
import type { SessionLookups } from '../../../reading/lookups.ts'
import { controlReply, type Decided, noAnswerTaken, type RequestReply } from '../../kit/request-reply.ts'
import {
  completeRequest,
  permissionTitle,
  questionFacts,
  type Request,
  readQuestions,
} from '../../kit/requests.ts'
import { findAgent } from '../agents/agent.ts'
import { type CallRef, waitingCall } from '../blocks/calls.ts'
import { isWholeCall } from '../blocks/model/message-blocks.ts'
import type { ClaudeMemory } from '../notes.ts'

/** Whether only the call shows the request. A live program gives it an id of its own. */
export function isInferred({ id, toolUseId }: Request): boolean {
  return toolUseId !== undefined && id === requestBlockId(toolUseId)
}

/** Withdraws a request that waits. One that only its call has shown makes room for the program's own. */
export function withdrawRequest(request: Request | undefined, output: SessionOutput): void {
  if (!request || !output.state.isOpen(request.conversationId, request.id)) return
  if (isInferred(request)) removeRequest(request, output)
  else completeRequest(request, {}, output)
}

export function removeRequest({ conversationId, id }: Request, output: SessionOutput): void {
  output.emit({ type: 'block:removed', conversationId, blockId: id })
}

/** Returns the last request for a call. The stream gives it an id of its own. */
export function requestOfCall(
  { conversationId, toolUseId }: CallRef,
  memory: ClaudeMemory,
): Request | undefined {
  const id = memory.notes.values.requestIds.get(toolUseId) ?? requestBlockId(toolUseId)
  return asRequest(memory.state.findBlock(conversationId, id))
}

/** Returns the request with that id of the program. */
export function requestById(id: string, state: SessionLookups): Request | undefined {
  const conversationId = state.conversationOfBlock(id)
  return conversationId === undefined ? undefined : asRequest(state.findBlock(conversationId, id))
}

function asRequest(block: ConversationBlock | undefined): Request | undefined {
  return block?.type === 'request' ? block : undefined
}

/** A call that waits for its result, or an agent's call. */
export interface KnownCall extends RequestedCall {
  /** The input of an agent's call has only the facts that the source keeps. */
  readonly isAgent: boolean
  /** The person must have answered: the call has its result, or its agent works without one. */
  readonly isOver: boolean
}

/** Returns a call, unless the source has not read it, or it is no agent's call and has its result. */
export function knownCall(ref: CallRef, memory: ClaudeMemory): KnownCall | undefined {
  const call = waitingCall(ref, memory)
  if (call) return { toolName: call.toolName, input: asObject(call.input), isAgent: false, isOver: false }
  const agent = findAgent(ref.toolUseId, memory)
  if (!agent) return undefined
  const { description, prompt, name, isLaunched, hasEnded, isResumed } = agent
  return {
    toolName: AGENT,
    input: omitUndefined({ description, prompt, subagent_type: name }),
    isAgent: true,
    isOver: hasEnded || isResumed === true || isLaunched === true,
  }
}

/** Whether a call that does not wait is over: the source has read the call, or its result. */
export function isCallOver(toolUseId: string, memory: ClaudeMemory): boolean {
  const conversationId = memory.state.conversationOfCall(toolUseId)
  if (conversationId !== undefined && isWholeCall(toolUseId, conversationId, memory)) return true
  return memory.notes.values.earlyResults.values().some(({ part }) => part.tool_use_id === toolUseId)
}

/** The tool that starts agents. */
const AGENT = 'Agent'

/** Whether the input is that of the call. */
export function isInputOf(call: KnownCall | undefined, input: JsonObject): boolean {
  if (!call?.isAgent) return isEqual(call?.input, input)
  return Object.entries(call.input).every(([name, value]) => input[name] === value)
}

/** The tool that asks the person questions. */
export const ASK_USER_QUESTION = 'AskUserQuestion'

/** The call that a request is about. */
export interface RequestedCall {
  readonly toolName: string
  readonly input: JsonObject
}

/** The program's own words for the person. A file does not have them. */
interface DisplayWords {
  readonly displayName?: string | undefined
  readonly description?: string | undefined
  /** The session's folder. A path below it is shown without the folder. */
  readonly cwd?: string | undefined
}

/** Returns what a request for a call asks of the person: questions, or whether the tool may run. */
export function requestFacts({ toolName, input }: RequestedCall, words: DisplayWords): RequestFacts {
  const { displayName = toolName, description = subjectOf(input, words.cwd) } = words
  if (toolName === ASK_USER_QUESTION)
    return questionFacts(readQuestions(input.questions), { fallbackTitle: displayName })
  return { kind: 'permission', title: permissionTitle(displayName, description), options: PERMISSION_OPTIONS }
}

const PERMISSION_OPTIONS: readonly RequestOption[] = [
  { id: 'allow', label: 'Allow' },
  { id: 'deny', label: 'Deny' },
]

/** The fields of an input that say best what a call is about. */
const SUBJECTS = ['description', 'file_path', 'notebook_path', 'command', 'url', 'query']

function subjectOf(input: JsonObject, cwd: string | undefined): string | undefined {
  const subject = SUBJECTS.map((name) => asString(input[name])).find((text) => text !== undefined)
  return subject && relativePath(subject, cwd)
}

/** The program runs the call with the input of the answer. */
export function claudeReply(decided: Decided): RequestReply {
  return controlReply(decided, inputOf)
}

/** The request repeats the input if the call does not have it. While the call streams, its input is not whole. */
function inputOf({ request, state }: Decided): JsonObject {
  const { conversationId, toolUseId = '' } = request
  const { input, tool_name } = asObject(request.data)
  if (input !== undefined) return asObject(input)
  const call = findBlock(state, conversationId, toolUseId)
  if (call?.type === 'tool_use' && call.inputText === undefined) return asObject(call.input)
  // The request names the tool of an unknown call, and leaves out an empty input.
  if (!call && tool_name !== undefined) return {}
  throw noAnswerTaken(
    request,
    'the input of its call is not known, and the program would run the call with another one',
  )
}
