import type { BlockOf } from '../../../state/block.ts'
import type { AgentOutput } from '../messages/ui-message.ts'
import type { TurnBlocks } from './split-turns.ts'
import type { AgentView, BranchView, ThreadFacts } from './thread-view.ts'
import type { BlockOfCall, TurnIndex } from './turn-index.ts'
import type { TurnContext } from './turn-view.ts'

/** A message with its index. */
export type IndexedTurn = TurnBlocks & { readonly index: TurnIndex }

const NONE: readonly unknown[] = []

/** Finds the blocks of other messages that belong to the calls of a message, and the agents that the conversation started. */
export class ThreadLookup {
  readonly branches: readonly BranchView[]
  readonly #turns: readonly IndexedTurn[]
  readonly #agents: ReadonlyMap<string, AgentView>
  readonly #loose: readonly BlockOfCall[]

  constructor({ agents }: ThreadFacts, turns: readonly IndexedTurn[], branches: readonly BranchView[]) {
    this.branches = branches
    this.#turns = turns
    this.#agents = new Map(agents.map((view) => [view.agent.toolUseId, view]))
    this.#loose = turns.flatMap(({ index }) => index.loose)
  }

  /** Returns the values that the parts of a message need from elsewhere. */
  outside({ index }: IndexedTurn): readonly unknown[] {
    const loose = this.#loose.filter(({ toolUseId }) => hasCall(index, toolUseId))
    const calls = index.loose.flatMap(({ toolUseId }) => [this.#indexWith(toolUseId)])
    const agents = [...index.agents].map((toolUseId) => this.#agents.get(toolUseId)?.output)
    const branches = this.branches.map(({ thread }) => thread.messages)
    const isAlone = loose.length + calls.length + agents.length + branches.length === 0
    return isAlone ? NONE : [...loose, ...calls, ...agents, ...branches]
  }

  contextOf({ index }: IndexedTurn): TurnContext {
    const indexWith = (toolUseId: string) => (hasCall(index, toolUseId) ? index : this.#indexWith(toolUseId))
    return {
      call: (toolUseId) => indexWith(toolUseId)?.calls.get(toolUseId),
      result: (toolUseId) =>
        indexWith(toolUseId)?.results.get(toolUseId) ?? this.#loose.find(isResultOf(toolUseId)),
      request: (toolUseId) =>
        indexWith(toolUseId)?.requests.get(toolUseId) ?? this.#loose.findLast(isRequestOf(toolUseId)),
      hasAgent: (toolUseId) => index.agents.has(toolUseId),
      agent: (toolUseId): AgentOutput | undefined => this.#agents.get(toolUseId)?.output,
      branch: (blockId) => this.branches.find(({ id }) => id === blockId)?.thread.messages,
    }
  }

  /** Whether a call of the conversation started the agent. */
  hasCallOf(toolUseId: string): boolean {
    return (
      this.#turns.some(({ index }) => index.agents.has(toolUseId)) ||
      this.branches.some(({ thread }) => thread.turns.some(({ index }) => index.agents.has(toolUseId)))
    )
  }

  /** Whether the block that marks the branch is there. */
  hasMark(branchId: string): boolean {
    return this.#turns.some(({ blocks }) =>
      blocks.some(({ id, type }) => id === branchId && type === 'system'),
    )
  }

  #indexWith(toolUseId: string): TurnIndex | undefined {
    return this.#turns.find(({ index }) => hasCall(index, toolUseId))?.index
  }
}

function hasCall({ calls, agents }: TurnIndex, toolUseId: string): boolean {
  return calls.has(toolUseId) || agents.has(toolUseId)
}

function isResultOf(toolUseId: string): (block: BlockOfCall) => block is BlockOf<'tool_result'> {
  return (block): block is BlockOf<'tool_result'> =>
    block.type === 'tool_result' && block.toolUseId === toolUseId
}

function isRequestOf(
  toolUseId: string,
): (block: BlockOfCall) => block is Extract<BlockOfCall, { type: 'request' }> {
  return (block): block is Extract<BlockOfCall, { type: 'request' }> =>
    block.type === 'request' && block.toolUseId === toolUseId
}
