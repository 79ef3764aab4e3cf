import { omitUndefined } from '../../../json/omit-undefined.ts'
import { asString, isObject, parseJson } from '../../../json/values.ts'
import { subagentBlockId } from '../../../state/block.ts'
import type { AgUiContext } from '../context.ts'
import type { KnownAgent, Place } from '../memory.ts'
import { outputText } from '../message.ts'
import type { CallResult } from '../messages/call.ts'
import { readOutput } from '../messages/content.ts'
import { completeAgent } from './run.ts'

/** Shows an agent whose call streams. A known call begins again. */
export function announceAgent(
  { conversationId, id: toolUseId }: Place,
  { timestamp }: { readonly timestamp: string | undefined },
  context: AgUiContext,
): void {
  const known = context.agent(toolUseId)
  if (known?.parentId !== undefined) {
    const isWhole = isObject(parseJson(known.args ?? ''))
    context.updateAgent(toolUseId, isWhole ? {} : { isOpen: true, repeated: 0 })
    return
  }
  context.noteWork()
  const agent = context.updateAgent(toolUseId, { parentId: conversationId, isOpen: true, args: '' })
  const status = agent.status === 'announced' ? 'pending' : 'running'
  const id = subagentBlockId(toolUseId)
  context.upsert(
    conversationId,
    omitUndefined({ type: 'subagent', id, toolUseId, status, input: '', timestamp }),
  )
}

/** Starts the agent of a call whose arguments have ended. The call of an agent that has started completes its facts. */
export function updateAgentCall({ id, args }: KnownAgent, context: AgUiContext): void {
  const facts = callFacts(args)
  const agent = context.updateAgent(id, { isOpen: undefined, repeated: undefined })
  // The call was cut before the agent could start.
  if (!facts) return
  const status = agent.status === 'announced' ? 'running' : agent.status
  context.updateAgent(id, { status, prompt: facts.prompt })
  const { parentId: conversationId } = agent
  context.emit(omitUndefined({ type: 'subagent:spawned', conversationId, toolUseId: id, ...facts }))
}

/** The facts about an agent in the arguments of its call. */
interface CallFacts {
  readonly prompt: string
  readonly description?: string
  readonly subagentType?: string
}

/** The names that frameworks give to the prompt of an agent. */
const PROMPTS = ['prompt', 'task', 'input', 'instructions', 'message', 'query']

/** Reads the arguments of a call that starts an agent. Arguments that are no JSON are none. */
export function callFacts(args: string | undefined): CallFacts | undefined {
  const input = parseJson(args ?? '')
  if (!isObject(input)) return undefined
  const description = asString(input.description)
  const words = PROMPTS.map((name) => asString(input[name])).find((text) => text !== undefined)
  return omitUndefined({
    prompt: words ?? description ?? '',
    description: words === undefined ? undefined : description,
    subagentType: asString(input.subagent_type),
  })
}

/** Adds the output of an agent. The output ends an agent that the stream does not report in another way. */
export function addOutput(
  agent: KnownAgent,
  { content, isError, durationMs }: CallResult,
  context: AgUiContext,
): void {
  const { id: toolUseId, startedIn, status } = agent
  // The sink writes an empty result for an agent without an output.
  const output = content === '' ? agent.output : outputText(readOutput(content))
  const facts = { output, durationMs: durationMs ?? agent.durationMs }
  if (status === 'ended')
    return completeAgent(agent, { status: agent.isFailed ? 'error' : 'completed', ...facts }, context)
  if (startedIn === undefined)
    return completeAgent(agent, { status: isError ? 'error' : 'completed', ...facts }, context)
  showAgent(context.updateAgent(toolUseId, facts), facts, context)
}

/** Shows further facts of an agent. Its status stays. */
export function showAgent(
  { id: toolUseId, parentId, status, prompt = '' }: KnownAgent,
  facts: {
    readonly agentId?: string | undefined
    readonly name?: string | undefined
    readonly description?: string | undefined
    readonly output?: string | undefined
    readonly durationMs?: number | undefined
  },
  context: AgUiContext,
): void {
  if (parentId === undefined) return
  context.upsert(
    parentId,
    omitUndefined({
      type: 'subagent',
      id: subagentBlockId(toolUseId),
      toolUseId,
      status: status === 'announced' ? 'pending' : 'running',
      input: prompt,
      ...facts,
    }),
  )
}
