import type { SubagentStatus } from '../../../../src/core/state/subagent.ts'
import { close, continueAgent, cutAgent } from './oracle-cut.ts'
import { addToLedger } from './oracle-ledger.ts'
import {
  type Block,
  byToolUseId,
  type Code,
  create,
  end,
  fill,
  find,
  findPlaceholder,
  isFinal,
  isUnder,
  type State,
  type Subagent,
} from './oracle-lookup.ts'

// Rule 12: returns the subagent of an event that links an agentId to a toolUseId.
export function identify(
  state: State,
  toolUseId: string,
  agentId: string | undefined,
  status: SubagentStatus,
): { readonly subagent: Subagent; readonly code: Code } {
  const called = byToolUseId(state, toolUseId)
  const code = refusal(state, called, toolUseId, agentId)
  if (agentId === undefined || code) return { subagent: called ?? create(state, toolUseId, status), code }
  const alias = agentId === toolUseId ? undefined : findPlaceholder(state, agentId)
  if (alias) rewrite(state, alias, toolUseId)
  if (alias && called) merge(state, alias, called)
  const subagent = called ?? alias ?? create(state, toolUseId, status)
  subagent.agentId = agentId
  return { subagent, code }
}

function refusal(
  state: State,
  called: Subagent | undefined,
  toolUseId: string,
  agentId: string | undefined,
): Code {
  if (agentId === undefined || called?.agentId === agentId) return undefined
  const alias = findPlaceholder(state, agentId)
  const isTaken = state.subagents.some((other) => other !== alias && other.agentId === agentId)
  if (isTaken || called?.agentId !== undefined) return 'agent-id-conflict'
  const isCycle = called && alias && alias !== called && isUnder(state, toolUseId, alias.toolUseId)
  return isCycle ? 'cycle' : undefined
}

function rewrite(state: State, alias: Subagent, toolUseId: string): void {
  for (const block of alias.blocks) block.conversationId = toolUseId
  for (const child of state.subagents)
    if (child.parentConversationId === alias.toolUseId) child.parentConversationId = toolUseId
  if (!byToolUseId(state, toolUseId)) alias.toolUseId = toolUseId
}

function merge(state: State, alias: Subagent, called: Subagent): void {
  const isCut = called.openBlocks !== undefined || alias.openBlocks !== undefined
  const cut = called.openBlocks ? called.status : alias.status
  continueAgent(called)
  continueAgent(alias)
  state.subagents.splice(state.subagents.indexOf(alias), 1)
  const { name, description, prompt, runId, output, durationMs } = alias
  fill(called, { name, description, prompt, runId, output, durationMs })
  for (const block of alias.blocks) {
    const at = called.blocks.findIndex(({ id }) => id === block.id)
    if (at < 0) called.blocks.push(block)
    else if (called.blocks[at]?.status === 'pending' && block.status !== 'pending') called.blocks[at] = block
  }
  if (alias.todos) called.todos ??= alias.todos
  for (const entry of alias.usage) {
    const at = called.usage.findIndex(({ messageId }) => messageId === entry.messageId)
    if (at < 0 || (entry.final && !called.usage[at]?.final))
      addToLedger(called.usage, entry, called.toolUseId)
  }
  if (isFinal(called.status)) end(called, called.status)
  else if (isFinal(alias.status)) end(called, alias.status)
  else if (isCut && isFinal(cut)) cutAgent(called, cut)
}

// Rule 12: the subagent under the former id is that of the call, with its block.
export function takeFormer(state: State, toolUseId: string, formerId: string): void {
  const former = byToolUseId(state, formerId)
  if (!former) return
  const { agentId, parentConversationId } = former
  const called = byToolUseId(state, toolUseId)
  const parent = parentConversationId === undefined ? undefined : find(state, parentConversationId)
  const at = parent?.blocks.findIndex(({ id }) => id === `subagent:${formerId}`) ?? -1
  const block = parent?.blocks[at]
  rewrite(state, former, toolUseId)
  const announced = former.openBlocks?.indexOf(`subagent:${formerId}`) ?? -1
  if (announced >= 0) former.openBlocks?.splice(announced, 1, `subagent:${toolUseId}`)
  if (called) {
    merge(state, former, called)
    fill(called, { agentId, parentConversationId })
    if (block) parent?.blocks.splice(at, 1)
  } else if (parent && block?.type === 'subagent') {
    Object.assign(block, { id: `subagent:${toolUseId}`, toolUseId })
    const call = callAt(parent.blocks, toolUseId)
    if (call < 0) return
    parent.blocks[call] = block
    parent.blocks.splice(at, 1)
    close(state, parent, toolUseId)
  }
}

// A call that was shown as that of a tool is the place of its subagent. A block of another call may have the call's id as its own.
export function callAt(blocks: readonly Block[], toolUseId: string): number {
  return blocks.findIndex(
    (block) => block.id === toolUseId && block.type === 'tool_use' && block.toolUseId === toolUseId,
  )
}
