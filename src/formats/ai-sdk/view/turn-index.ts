import { type BlockOf, type ConversationBlock, messageIdOf } from '../../../state/block.ts'

/** A block about a call: its result, or a request for a permission to run it. */
export type BlockOfCall = BlockOf<'tool_result'> | (BlockOf<'request'> & { readonly toolUseId: string })

/** The facts of an answer that its parts and its metadata need. */
export interface TurnIndex {
  readonly calls: ReadonlyMap<string, BlockOf<'tool_use'>>
  /** The first result of each call, whether or not the answer holds the call. */
  readonly results: ReadonlyMap<string, BlockOf<'tool_result'>>
  /** The last request for a permission of each call. */
  readonly requests: ReadonlyMap<string, BlockOf<'request'>>
  /** The ids of the calls that started agents. */
  readonly agents: ReadonlySet<string>
  /** The blocks about calls that the answer does not hold. */
  readonly loose: readonly BlockOfCall[]
  /** The ids of the model's messages. */
  readonly messageIds: ReadonlySet<string>
  readonly startedAt: string | undefined
  readonly endedAt: string | undefined
  readonly model: string | undefined
}

/** Returns the index of an answer. */
export function indexTurn(blocks: readonly ConversationBlock[], previous: TurnIndex | undefined): TurnIndex {
  const calls = new Map<string, BlockOf<'tool_use'>>()
  const results = new Map<string, BlockOf<'tool_result'>>()
  const requests = new Map<string, BlockOf<'request'>>()
  const agents = new Set<string>()
  const ids = new Set<string>()
  let [startedAt, endedAt, model]: (string | undefined)[] = []
  for (const block of blocks) {
    const messageId = messageIdOf(block)
    if (messageId !== undefined) ids.add(messageId)
    if ('model' in block) model = block.model
    startedAt ??= block.timestamp
    endedAt = block.timestamp ?? endedAt
    if (block.type === 'tool_use') {
      if (!calls.has(block.toolUseId)) calls.set(block.toolUseId, block)
    } else if (block.type === 'subagent') agents.add(block.toolUseId)
    else if (block.type === 'tool_result' && !results.has(block.toolUseId))
      results.set(block.toolUseId, block)
    else if (isRequestOfCall(block)) requests.set(block.toolUseId, block)
  }
  const known = previous?.messageIds
  const messageIds = known?.size === ids.size && [...ids].every((id) => known.has(id)) ? known : ids
  const isLoose = ({ toolUseId }: BlockOfCall) => !calls.has(toolUseId) && !agents.has(toolUseId)
  const loose = blocks.filter(isAboutCall).filter(isLoose)
  return { calls, results, requests, agents, loose, messageIds, startedAt, endedAt, model }
}

function isAboutCall(block: ConversationBlock): block is BlockOfCall {
  return block.type === 'tool_result' || isRequestOfCall(block)
}

function isRequestOfCall(block: ConversationBlock): block is Extract<BlockOfCall, { type: 'request' }> {
  return block.type === 'request' && block.kind === 'permission' && block.toolUseId !== undefined
}
