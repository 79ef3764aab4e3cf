import { addToList } from '../json/lists.ts'
import type { BlockOf, ConversationBlock } from '../state/block.ts'
import {
  type Branch,
  type ConversationThread,
  MAIN,
  type SessionConversationState,
  type SubagentState,
} from '../state/session.ts'
import { findSubagent } from './find.ts'
import { type Place, subagentPlaces } from './forest.ts'

/** A block that stands alone: neither a call, nor a result, nor an agent. */
export type PlainBlock = Exclude<ConversationBlock, BlockOf<'tool_use' | 'tool_result' | 'subagent'>>

/** An agent at its place in a walk. Its block may know what the agent does not. */
export interface WalkedAgent {
  readonly agent: SubagentState
  /** The block of its call, if it is at the place of its call. */
  readonly block: BlockOf<'subagent'> | undefined
  readonly lineage: Place<unknown>['lineage']
}

/** The facts of an agent, from its state or from the block of its call. */
export type AgentFacts = Pick<
  SubagentState,
  'toolUseId' | 'agentId' | 'name' | 'description' | 'status' | 'durationMs' | 'output' | 'prompt'
>

/** Returns the facts of an agent that has a block and no conversation. An empty prompt is an unknown one. */
export function factsOfBlock({ input, ...facts }: BlockOf<'subagent'>): AgentFacts {
  return input === '' ? facts : { ...facts, prompt: input }
}

/** Returns the facts of an agent at its place in a walk. */
export function factsOfAgent({ agent, block }: Pick<WalkedAgent, 'agent' | 'block'>): AgentFacts {
  return block ? { ...factsOfBlock(block), ...agent } : agent
}

/**
 * One step of a walk through a conversation:
 * - `block`: a block of the conversation; `isMain` is false in the conversation of an agent and in an abandoned
 *   branch
 * - `call`: a tool call with its results, and the requests to the person about it
 * - `result`: a result whose call is not known
 * - `agent` and `agent-end`: the steps between them are those of the agent's conversation
 * - `agent-block`: the block of an agent whose conversation is not known, or elsewhere in the session
 * - `branch` and `branch-end`: the steps between them are those of a part of main that the person abandoned
 */
export type WalkStep =
  | { readonly type: 'block'; readonly block: PlainBlock; readonly isMain: boolean }
  | {
      readonly type: 'call'
      readonly call: BlockOf<'tool_use'>
      readonly results: readonly BlockOf<'tool_result'>[]
      readonly requests: readonly BlockOf<'request'>[]
    }
  | { readonly type: 'result'; readonly result: BlockOf<'tool_result'> }
  | ({ readonly type: 'agent' } & WalkedAgent)
  | ({ readonly type: 'agent-end' } & WalkedAgent)
  | { readonly type: 'agent-block'; readonly block: BlockOf<'subagent'>; readonly isElsewhere: boolean }
  | { readonly type: 'branch'; readonly branch: Branch }
  | { readonly type: 'branch-end'; readonly branch: Branch }

/**
 * Walks through a conversation and the agents below it in reading order: `'main'`, or either id of a subagent. Each
 * agent is at the place of its call. Agents without a call in the conversation come last. Throws a `RangeError` if
 * the state has no conversation with that id.
 */
export function* walkConversation(
  state: SessionConversationState,
  conversationId: string = MAIN,
): Generator<WalkStep, void> {
  const agent = conversationId === MAIN ? undefined : findSubagent(state, conversationId)
  if (conversationId !== MAIN && !agent)
    throw new RangeError(`the state has no conversation ${JSON.stringify(conversationId)}`)
  const stack: Steps[] = [new Walk(state).conversation(agent)]
  // Without recursion: agents may be nested to any depth.
  for (let top = stack.at(-1); top; top = stack.at(-1)) {
    const { done, value } = top.next()
    if (done) stack.pop()
    else if ('steps' in value) stack.push(value.steps)
    else yield value
  }
}

/** The steps of a conversation. A nested conversation is taken before the rest. */
type Steps = Generator<WalkStep | { readonly steps: Steps }, void>

type Children = Map<string, SubagentState[]>

class Walk {
  readonly #state: SessionConversationState
  readonly #lineages = new Map<SubagentState, WalkedAgent['lineage']>()
  readonly #agentIds: ReadonlySet<string>
  readonly #children = new Map<SubagentState | undefined, SubagentState[]>()

  constructor(state: SessionConversationState) {
    this.#state = state
    const { subagents } = state
    this.#agentIds = new Set(subagents.map(({ toolUseId }) => toolUseId))
    for (const { index, parent, lineage } of subagentPlaces(state)) {
      const agent = subagents[index]
      if (!agent) continue
      this.#lineages.set(agent, lineage)
      addToList(this.#children, parent === undefined ? undefined : subagents[parent], agent)
    }
  }

  /** Yields a conversation with the agents that it started. Without an agent, it is main's. */
  *conversation(parent: SubagentState | undefined): Steps {
    const thread: ConversationThread = parent ?? this.#state
    const children: Children = new Map()
    for (const child of this.#children.get(parent) ?? []) addToList(children, child.toolUseId, child)
    const branches = new Map(
      (parent ? [] : (this.#state.branches ?? [])).map((branch) => [branch.id, branch]),
    )
    yield* this.#blocks(thread.blocks, { children, branches, isMain: parent === undefined })
    for (const branch of branches.values()) yield* this.#branch(branch, children)
    for (const agents of children.values())
      for (const agent of agents) yield { steps: this.#agent(agent, undefined) }
  }

  *#blocks(
    blocks: readonly ConversationBlock[],
    {
      children,
      branches,
      isMain,
    }: {
      readonly children: Children
      readonly branches: Map<string, Branch>
      readonly isMain: boolean
    },
  ): Steps {
    for (const step of blockSteps(blocks, isMain)) {
      if (step.type === 'agent-block') {
        const agent = children.get(step.block.toolUseId)?.shift()
        if (agent) yield { steps: this.#agent(agent, step.block) }
        else yield { ...step, isElsewhere: this.#agentIds.has(step.block.toolUseId) }
        continue
      }
      yield step
      const branch = step.type === 'block' ? branches.get(step.block.id) : undefined
      if (branch) {
        branches.delete(branch.id)
        yield* this.#branch(branch, children)
      }
    }
  }

  *#branch(branch: Branch, children: Children): Steps {
    yield { type: 'branch', branch }
    yield* this.#blocks(branch.blocks, { children, branches: new Map(), isMain: false })
    yield { type: 'branch-end', branch }
  }

  *#agent(agent: SubagentState, block: BlockOf<'subagent'> | undefined): Steps {
    const known = this.#lineages.get(agent) ?? 'root'
    const isOrphan = known === 'root' && agent.parentConversationId !== MAIN
    const walked = { agent, block, lineage: isOrphan ? ('orphan' as const) : known }
    yield { type: 'agent', ...walked }
    yield* this.conversation(agent)
    yield { type: 'agent-end', ...walked }
  }
}

/** Yields the steps of blocks without any nested conversation. Each call has its results and its requests with it. */
function* blockSteps(
  blocks: readonly ConversationBlock[],
  isMain: boolean,
): Generator<Extract<WalkStep, { readonly type: 'block' | 'call' | 'result' | 'agent-block' }>, void> {
  const results = new Map<string, BlockOf<'tool_result'>[]>()
  const requests = new Map<string | undefined, BlockOf<'request'>[]>()
  for (const block of blocks) {
    if (block.type === 'tool_result') addToList(results, block.toolUseId, block)
    if (block.type === 'request') addToList(requests, block.toolUseId, block)
  }
  const calls = new Set(blocks.flatMap((block) => (block.type === 'tool_use' ? [block.toolUseId] : [])))
  const walked = new Set<string>()
  for (const block of blocks) {
    if (block.type === 'tool_use') {
      const { toolUseId } = block
      const isRepeated = walked.has(toolUseId)
      walked.add(toolUseId)
      yield {
        type: 'call',
        call: block,
        results: isRepeated ? [] : (results.get(toolUseId) ?? []),
        requests: isRepeated ? [] : (requests.get(toolUseId) ?? []),
      }
    } else if (block.type === 'request' && calls.has(block.toolUseId ?? '')) {
      // Its call has it.
    } else if (block.type === 'tool_result') {
      if (!calls.has(block.toolUseId)) yield { type: 'result', result: block }
    } else if (block.type === 'subagent') yield { type: 'agent-block', block, isElsewhere: false }
    else yield { type: 'block', block, isMain }
  }
}
