import type { BlockOf, ConversationBlock } from '../../../core/state/block.ts'
import type { CallFacts } from '../messages/tool-part.ts'
import type { AgentOutput, SessionUIMessage } from '../messages/ui-message.ts'
import type { AgentView, ThreadUpdate } from './thread.ts'

/** The blocks of a call, as one message shows them. */
export interface CallBlocks extends CallFacts {
  /** The first call with the id. */
  readonly call?: BlockOf<'tool_use'>
  /** Whether a call in the message itself started an agent. */
  readonly hasAgent?: boolean
}
type MutableCallBlocks = { -readonly [Key in keyof CallBlocks]: CallBlocks[Key] }

/** Finds the values that the parts of a block show besides the block. */
export class BlockLookup {
  readonly #update: ThreadUpdate
  readonly #calls = new Map<string, (messageNumber: number) => CallBlocks>()
  #agents: ReadonlyMap<string, AgentView> | undefined

  constructor(update: ThreadUpdate) {
    this.#update = update
  }

  /** Returns the blocks of the call for the message with that number. */
  call(toolUseId: string, messageNumber: number): CallBlocks {
    const known = this.#calls.get(toolUseId) ?? callBlocks(toolUseId, this.#update)
    this.#calls.set(toolUseId, known)
    return known(messageNumber)
  }

  /** Returns the output of an agent that this conversation started. */
  agent(toolUseId: string): AgentOutput | undefined {
    this.#agents ??= new Map(this.#update.facts.agents.map((view) => [view.agent.toolUseId, view]))
    return this.#agents.get(toolUseId)?.output
  }

  /** Returns the abandoned branch whose mark the block is. */
  branch(blockId: string): readonly SessionUIMessage[] | undefined {
    return this.#update.branches.find(({ id }) => id === blockId)?.thread.messages
  }
}

/**
 * A message shows the blocks of its own call. If it has no call, it shows those of the first message that has the call, and of messages
 * without one.
 */
function callBlocks(
  toolUseId: string,
  { facts, index }: ThreadUpdate,
): (messageNumber: number) => CallBlocks {
  const byMessage = new Map<number, MutableCallBlocks>()
  for (const { at, messageNumber } of index.calls.get(toolUseId) ?? []) {
    const own = byMessage.get(messageNumber) ?? {}
    byMessage.set(messageNumber, own)
    addBlock(own, facts.blocks[at])
  }
  let first: CallBlocks | undefined
  const loose: MutableCallBlocks = {}
  for (const own of byMessage.values()) {
    if (hasCall(own)) first ??= own
    else Object.assign(loose, own, loose.result && { result: loose.result })
  }
  return (messageNumber) => {
    const own = byMessage.get(messageNumber) ?? loose
    return { ...loose, ...(hasCall(own) ? own : first), hasAgent: own.hasAgent === true }
  }
}

function addBlock(blocks: MutableCallBlocks, block: ConversationBlock | undefined): void {
  if (block?.type === 'tool_use') blocks.call ??= block
  else if (block?.type === 'tool_result') blocks.result ??= block
  else if (block?.type === 'request') blocks.request = block
  else if (block?.type === 'subagent') blocks.hasAgent = true
}

function hasCall({ call, hasAgent }: CallBlocks): boolean {
  return call !== undefined || hasAgent === true
}
