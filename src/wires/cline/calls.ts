import { asArray, asObject, asString } from '../../core/json/values.ts'
import { type BlockOf, toolResultBlockId } from '../../core/state/block.ts'
import { MAIN } from '../../core/state/session.ts'
import { cline, RUN_TASK, SUBAGENT, TEAMMATE } from '../../programs/cline/program.ts'
import { fileChangesOf, readAgentResult, readResult } from '../../programs/cline/tool-result.ts'
import type { SessionOutput } from '../../reading/context.ts'
import type { AgentState } from '../../reading/lookups.ts'
import { endAgent } from '../kit/abandon.ts'
import { callBlock, resultBlock, statusOf } from '../kit/blocks.ts'
import { permissionTitle, tracedRequest } from '../kit/requests.ts'
import type { ClineContext } from './notes.ts'
import { show } from './reply.ts'

/** A call as both forms show it. */
interface Call {
  readonly id: string
  readonly name: string
  readonly input: unknown
  readonly messageId?: string | undefined
  readonly time?: string | undefined
}

/** Shows the start of a call. The call of an agent is the agent alone. */
export function startCall(conversationId: string, call: Call, context: ClineContext): void {
  const { id, name: toolName, input, messageId, time: timestamp } = call
  if (cline.tools.agent.includes(toolName)) return startAgent(conversationId, call, context)
  if (context.state.findBlock(conversationId, id)) return
  show(conversationId, callBlock({ toolName, toolUseId: id, input, messageId, timestamp }), context)
}

function startAgent(
  conversationId: string,
  { id: toolUseId, name, input, messageId, time: timestamp }: Call,
  context: ClineContext,
): void {
  if (context.state.agentOfCall(toolUseId)) return
  const { task, agentId: teammate } = asObject(input)
  const isTeammate = name === RUN_TASK
  const prompt = asString(task) ?? ''
  const formerId = context.state.firstAgentIn(
    ownCallOf,
    prompt,
    (agent) => agent.toolUseId !== conversationId,
  )?.toolUseId
  if (conversationId === MAIN) context.turn.start()
  context.emit({
    type: 'subagent:spawned',
    conversationId,
    toolUseId,
    agentId: formerId,
    formerId,
    prompt,
    subagentType: isTeammate ? TEAMMATE : SUBAGENT,
    description: isTeammate ? asString(teammate) : undefined,
    messageId,
    timestamp,
  })
  if (formerId !== undefined) context.notes.moveEntry('inputSums', formerId, toolUseId)
}

/** The prompt of an agent that stands for its own call. */
const ownCallOf = ({ toolUseId, agentId, prompt }: AgentState): string | undefined =>
  toolUseId === agentId ? prompt : undefined

/** The result of a call. */
interface CallResult {
  readonly id: string
  readonly name: string
  readonly result: unknown
  /** The file states that the call was refused. */
  readonly isRefused?: boolean | undefined
  readonly durationMs?: number | undefined
  readonly time: string | undefined
}

/** Shows that a call has ended, and its result. */
export function endCall(conversationId: string, end: CallResult, context: ClineContext): void {
  const { id, name, result, durationMs, time: timestamp } = end
  const known = context.state.findBlock(conversationId, id)
  // A call of an agent may have the id of the call that started the agent.
  const agent = known?.type === 'tool_use' ? undefined : context.state.agentOfCall(id)
  if (agent || cline.tools.agent.includes(name)) {
    const { isLaunch, isError, report } = readAgentResult(name, result)
    if (!agent) startCall(conversationId, { id, name, input: {}, time: timestamp }, context)
    if (isLaunch) return context.notes.setEntry('launched', id, true)
    endAgent(id, { isError, output: report, durationMs, timestamp }, context)
    return
  }
  const { output, isError: hasFailed, exitCode } = readResult(result)
  const isError = hasFailed || end.isRefused === true
  const call = known?.type === 'tool_use' ? known : { toolName: name, input: {} }
  if (known?.type === 'tool_use') show(conversationId, { ...known, status: statusOf(isError) }, context)
  if (isError) showRefusal(conversationId, id, call, { output, time: timestamp }, context)
  const changes = isError ? undefined : fileChangesOf({ call, record: {}, output })
  const before = context.state.findBlock(conversationId, toolResultBlockId(id))
  const duration = before?.type === 'tool_result' ? (before.durationMs ?? durationMs) : durationMs
  const facts = { output, isError, exitCode, changes, durationMs: duration, timestamp }
  show(conversationId, resultBlock({ toolUseId: id, ...facts }), context)
}

/** The words of a call that the person refused, or whose request was withdrawn. Only such requests leave a trace in a file. */
const REFUSED = 'User rejected the tool call'
const WITHDRAWN = 'Permission request was cancelled'

function showRefusal(
  conversationId: string,
  toolUseId: string,
  { toolName, input }: Pick<BlockOf<'tool_use'>, 'toolName' | 'input'>,
  { output, time: timestamp }: { readonly output: unknown; readonly time: string | undefined },
  session: SessionOutput,
): void {
  const words = asString(output) ?? ''
  if (!words.startsWith(REFUSED) && !words.startsWith(WITHDRAWN)) return
  const { commands, path } = asObject(input)
  const title = permissionTitle(toolName, asString(asArray(commands)[0]) ?? asString(path))
  const answer = words.startsWith(REFUSED) ? ({ answer: 'reject_once', denied: true } as const) : {}
  const facts = { kind: 'permission', title, toolUseId, ...answer, timestamp } as const
  show(conversationId, tracedRequest(facts), session)
}
