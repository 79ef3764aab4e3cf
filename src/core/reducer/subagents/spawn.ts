import type { EventOf, IncomingBlock } from '../../events/event.ts'
import { omitUndefined, pickDefined } from '../../json/fields.ts'
import { fieldNames } from '../../json/shape.ts'
import { subagentBlockId } from '../../state/block.ts'
import { MAIN } from '../../state/session.ts'
import { hasEnded, isFinal, SPAWN_FACTS, type SpawnFacts } from '../../state/subagent.ts'
import type { Batch } from '../batch.ts'
import type { ReducerIssueCode } from '../issue.ts'
import type { StateFacts, SubagentThread } from '../thread.ts'
import { markTurnRunning } from '../turn.ts'
import {
  findPlaceholder,
  getOrCreateSubagent,
  isFormerNested,
  isWithin,
  linkAgentId,
  takeFormer,
} from './agent-ids.ts'
import { completionOf, finalizeSubagent, isReserved } from './run.ts'
import { type BlockFacts, isAnnounced, SHARED_FACTS, updateSubagentBlock } from './subagent-block.ts'

/** The start of a subagent, from a spawn or from a block that describes one. */
interface Spawn {
  readonly toolUseId: string
  readonly parentId: string
  readonly status: 'pending' | 'running'
  readonly agentId: string | undefined
  readonly formerId?: string | undefined
  /** They only fill in unknown facts. */
  readonly facts: Partial<StateFacts>
  readonly blockFacts: BlockFacts
}

const SPAWN_NAMES = /* @__PURE__ */ fieldNames<SpawnFacts>(SPAWN_FACTS)

/** Starts a subagent. A repeated spawn only adds unknown facts, and a final status stays. */
export function spawnSubagent(
  batch: Batch,
  event: EventOf<'subagent:spawned'>,
): ReducerIssueCode | undefined {
  const { toolUseId, agentId, formerId, runId, prompt, subagentType: name, messageId, timestamp } = event
  return applySpawn(batch, {
    toolUseId,
    parentId: event.conversationId ?? MAIN,
    status: 'running',
    agentId,
    formerId: formerId === toolUseId ? undefined : formerId,
    facts: omitUndefined({ prompt: prompt || undefined, name, runId, ...pickDefined(event, SPAWN_NAMES) }),
    blockFacts: omitUndefined({ messageId, timestamp }),
  }).issue
}

/** Applies a subagent's block as the spawn, and the completion, that it describes. */
export function upsertSubagent(
  batch: Batch,
  block: Extract<IncomingBlock, { readonly type: 'subagent' }>,
  parentId: string,
): ReducerIssueCode | undefined {
  const { toolUseId, agentId, status, input, inputText, messageId, timestamp } = block
  const isNew = batch.subagentByToolUseId(toolUseId) === undefined
  const { toolUseId: _, agentId: _agentId, status: _status, ...facts } = pickDefined(block, SHARED_FACTS)
  const { subagent, issue } = applySpawn(batch, {
    toolUseId,
    parentId,
    status: status === 'pending' ? 'pending' : 'running',
    agentId,
    facts: omitUndefined({ prompt: input || undefined, ...facts }),
    blockFacts: omitUndefined({ messageId, timestamp, inputText }),
  })
  if (isNew && status === 'pending' && subagent?.facts.parentConversationId === MAIN)
    markTurnRunning(batch, timestamp)
  if (subagent && isFinal(status) && !hasEnded(subagent.facts))
    finalizeSubagent(batch, subagent, { ...completionOf(block), status })
  return issue ?? (block.id === subagentBlockId(toolUseId) ? undefined : 'other-block-id')
}

/** Removes a subagent that was only announced, together with its block, because no part of it has ever run. */
export function removeAnnounced(batch: Batch, toolUseId: string): void {
  const subagent = batch.subagentByToolUseId(toolUseId)
  if (!subagent || !isAnnounced(subagent)) return
  const isEmpty = subagent.blocks.items.length === 0 && subagent.usage.items.length === 0
  if (isEmpty && !batch.hasChildren(subagent.id)) batch.removeSubagent(subagent)
}

function applySpawn(
  batch: Batch,
  { toolUseId, status, agentId, formerId, facts, blockFacts, parentId }: Spawn,
): { readonly subagent: SubagentThread | undefined; readonly issue: ReducerIssueCode | undefined } {
  if (isReserved(toolUseId, agentId, formerId)) return { subagent: undefined, issue: 'reserved-id' }
  const parent = batch.thread(parentId)?.id ?? parentId
  if (parentId === toolUseId || isNestedInItself(batch, { toolUseId, agentId, parentId: parent }))
    return { subagent: undefined, issue: 'cycle' }
  if (formerId !== undefined) {
    if (isFormerNested(batch, { toolUseId, formerId, parentId: parent }))
      return { subagent: undefined, issue: 'cycle' }
    takeFormer(batch, toolUseId, formerId)
  }
  const subagent = getOrCreateSubagent(batch, { toolUseId, agentId, status, facts })
  const linkIssue = agentId === undefined ? undefined : linkAgentId(batch, subagent, agentId)
  const parentIssue = setFirstParent(batch, subagent, parent)
  if (subagent.facts.status === 'pending') subagent.update({ status })
  subagent.fill(facts)
  updateSubagentBlock(batch, subagent, blockFacts)
  return { subagent, issue: parentIssue ?? linkIssue }
}

/** The first known parent stays. */
function setFirstParent(
  batch: Batch,
  subagent: SubagentThread,
  parentId: string,
): ReducerIssueCode | undefined {
  const first = subagent.facts.parentConversationId
  if (first === undefined) subagent.update({ parentConversationId: batch.getOrCreateThread(parentId).id })
  else if (first !== parentId) return 'parent-conflict'
  return undefined
}

/** Whether the parent is the subagent itself, under either id, or nested in it. */
function isNestedInItself(
  batch: Batch,
  { toolUseId, agentId, parentId }: Pick<Spawn, 'toolUseId' | 'agentId' | 'parentId'>,
): boolean {
  const placeholder = findPlaceholder(batch, agentId)
  const isItself = (id: string) =>
    id === toolUseId || (id === agentId && (placeholder !== undefined || !batch.subagent(id)))
  if (isItself(parentId)) return true
  // The list of ancestors may be long. Only a subagent that has children and gets a new parent can close a cycle.
  const called = batch.subagentByToolUseId(toolUseId)
  if (!placeholder && called?.facts.parentConversationId === parentId) return false
  const ids = [toolUseId, agentId, called?.facts.agentId]
  return ids.some((id) => id !== undefined && batch.hasChildren(id)) && isWithin(batch, parentId, isItself)
}
