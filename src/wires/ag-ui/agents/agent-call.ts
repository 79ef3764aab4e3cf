import { omitUndefined } from '../../../core/json/fields.ts'
import { asString, isObject, parseJson } from '../../../core/json/values.ts'
import { type BlockOf, subagentBlockId } from '../../../core/state/block.ts'
import type { SpawnFacts } from '../../../core/state/subagent.ts'
import type { SessionOutput } from '../../../reading/context.ts'
import type { AgentState, SessionLookups } from '../../../reading/lookups.ts'
import type { AgUiContext, AgUiMemory } from '../context.ts'
import type { Place } from '../ids.ts'
import { beginAgain, newPart } from '../messages/text.ts'

/** Shows an agent whose call streams. A known call begins again. */
export function announceAgent(
  { conversationId, id: toolUseId }: Place,
  timestamp: string | undefined,
  context: AgUiContext,
): void {
  const known = context.state.agentOfCall(toolUseId)
  if (known?.parentConversationId !== undefined) return restartAgentCall(known, context)
  context.noteWork()
  if (known) context.notes.setEntry('agentArguments', toolUseId, '')
  context.upsert(conversationId, {
    type: 'subagent',
    id: subagentBlockId(toolUseId),
    toolUseId,
    status: known ? 'running' : 'pending',
    input: '',
    inputText: known ? undefined : '',
    timestamp,
  })
}

/** The arguments of a known prompt are complete. */
function restartAgentCall(agent: AgentState, memory: AgUiMemory): void {
  const announced = announcedBlock(agent, memory.state)
  if (announced) beginAgain(announced, announced.inputText, memory)
  else if (agent.prompt === undefined) memory.notes.setEntry('agentArguments', agent.toolUseId, '')
}

type AnnouncedBlock = BlockOf<'subagent'> & { readonly inputText: string }

/** Returns the block of an agent whose call streams, and that has not started. The end of an input may have cut the call. */
export function announcedBlock(
  { toolUseId, parentConversationId: parentId }: AgentState,
  state: SessionLookups,
): AnnouncedBlock | undefined {
  const block = parentId === undefined ? undefined : state.findBlock(parentId, subagentBlockId(toolUseId))
  return block?.type === 'subagent' && isAnnounced(block) ? block : undefined
}

/** Whether the call of the block's agent streams, and the agent has not started. */
export function isAnnounced(block: BlockOf<'subagent'>): block is AnnouncedBlock {
  return block.inputText !== undefined
}

/** Appends to the arguments of an agent's call. Returns whether they stream. */
export function extendAgentCall(agent: AgentState, delta: string, context: AgUiContext): boolean {
  const { toolUseId } = agent
  const announced = announcedBlock(agent, context.state)
  if (announced) {
    const rest = newPart(announced, announced.inputText, delta, context)
    if (rest !== '') extendAnnounced(announced, rest, context)
    return true
  }
  const args = context.notes.values.agentArguments.get(toolUseId)
  if (args !== undefined) context.notes.setEntry('agentArguments', toolUseId, args + delta)
  return args !== undefined
}

function extendAnnounced(
  { toolUseId, conversationId, id: blockId }: AnnouncedBlock,
  delta: string,
  context: AgUiContext,
): void {
  context.noteWork()
  context.continueConversation(toolUseId)
  context.emit({ type: 'block:delta', conversationId, blockId, delta })
}

/**
 * Starts the agent of a call whose arguments have ended. The call of an agent that has started completes its facts.
 * Returns whether the arguments have streamed.
 */
export function endAgentCall(agent: AgentState, context: AgUiContext): boolean {
  const { toolUseId } = agent
  const announced = announcedBlock(agent, context.state)
  const args = announced?.inputText ?? context.notes.values.agentArguments.get(toolUseId)
  if (args === undefined) return false
  if (announced) context.rememberRepeat(announced, undefined)
  const facts = callFacts(parseJson(args))
  // Without facts, the call was cut before the agent could start.
  if (facts) addCallFacts(agent, facts, context)
  context.notes.removeEntry('agentArguments', toolUseId)
  return true
}

/** Adds the facts of an agent's call, which start an announced agent. */
export function addCallFacts(
  { toolUseId, parentConversationId: conversationId }: AgentState,
  facts: CallFacts,
  output: SessionOutput,
): void {
  output.emit({ type: 'subagent:spawned', conversationId, toolUseId, ...facts })
}

/** The facts about an agent in the arguments of its call. */
interface CallFacts extends SpawnFacts {
  readonly prompt: string
  readonly subagentType?: string
}

/** The names that frameworks give to the prompt of an agent. */
const PROMPTS = ['prompt', 'task', 'input', 'instructions', 'message', 'query']

/** Reads the arguments of a call that starts an agent. Arguments that are no object are none. */
export function callFacts(input: unknown): CallFacts | undefined {
  if (!isObject(input)) return undefined
  const description = asString(input.description)
  const words = PROMPTS.map((name) => asString(input[name])).find((text) => text !== undefined)
  return omitUndefined({
    prompt: words ?? description ?? '',
    description: words === undefined ? undefined : description,
    subagentType: asString(input.subagent_type),
    agentType: asString(input.agentType),
    phase: asString(input.phase),
    launchedBy: asString(input.launchedBy),
  })
}

/** Adds further facts of an agent. Its status stays. */
export function addAgentFacts(
  agent: AgentState,
  facts: Partial<Pick<BlockOf<'subagent'>, 'agentId' | 'name' | 'description' | 'output' | 'durationMs'>>,
  output: SessionOutput,
): void {
  const { toolUseId, parentConversationId, status, prompt: input = '' } = agent
  if (parentConversationId === undefined || !addsFacts(agent, facts)) return
  const inputText = announcedBlock(agent, output.state)?.inputText
  output.upsert(parentConversationId, {
    type: 'subagent',
    id: subagentBlockId(toolUseId),
    toolUseId,
    status: status === 'pending' ? 'pending' : 'running',
    input,
    inputText,
    ...facts,
  })
}

/** The first fact of a kind stays. */
function addsFacts<Facts extends object>(known: Facts, facts: Partial<Facts>): boolean {
  for (const name in facts) if (facts[name] !== undefined && known[name] === undefined) return true
  return false
}
