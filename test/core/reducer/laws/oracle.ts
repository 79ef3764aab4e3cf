import { produce } from 'immer'
import { EVENT } from '../../../../src/core/events/event.ts'
import type { MessageUsage } from '../../../../src/core/state/session.ts'
import type { SubagentStatus } from '../../../../src/core/state/subagent.ts'
import {
  type EventOf,
  isConversationEvent,
  type SessionConversationState,
  type SessionEvent,
} from '../../../../src/entries/index.ts'
import { callAt, identify, takeFormer } from './oracle-alias.ts'
import {
  close,
  continueAgent,
  continueTurn,
  cutAgent,
  hasEnded,
  isAnnounced,
  isCutOfNothing,
  pendingIds,
} from './oracle-cut.ts'
import { addToLedger } from './oracle-ledger.ts'
import {
  type Block,
  byToolUseId,
  type Code,
  canonical,
  create,
  end,
  type Facts,
  fill,
  finalize,
  find,
  findOrCreate,
  findPlaceholder,
  findSubagent,
  isFinal,
  isUnder,
  overwrite,
  type State,
  type Subagent,
} from './oracle-lookup.ts'

/** The reducer's rules in a literal and slow form. Tests compare the fast reducer with it. */
export function oracleReduce(state: SessionConversationState, event: unknown): SessionConversationState {
  return oracleStep(state, event).state
}

/** The same, with the code of the issue. */
export function oracleStep(
  state: SessionConversationState,
  value: unknown,
): { readonly state: SessionConversationState; readonly code: Code } {
  if (!isConversationEvent(value)) return { state, code: refusalOf(value) }
  // Immer freezes what enters a state, and the event is its sender's.
  const event: SessionEvent = JSON.parse(JSON.stringify(value))
  let code: Code
  const next = produce(state, (draft) => {
    code = apply(draft, event)
    for (const subagent of draft.subagents) mirror(draft, subagent)
  })
  return { state: next, code }
}

/** A value of a known type has a wrong field. */
function refusalOf(value: unknown): Code {
  const { type } = Object(value)
  return Object.keys(EVENT.byType).includes(type) ? 'malformed-event' : 'unknown-event'
}

function apply(state: State, event: SessionEvent): Code {
  switch (event.type) {
    case 'block:upsert':
      return upsert(state, event)
    case 'block:delta':
      return appendDelta(state, event)
    case 'block:removed':
      return remove(state, event)
    case 'subagent:spawned':
      return spawn(state, event)
    case 'subagent:resumed':
      return resume(state, event)
    case 'subagent:completed':
      return complete(state, event)
    case 'session:idle':
      return idle(state, event)
    case 'session:running':
      if ((event.conversationId ?? 'main') !== 'main') return undefined
      if (event.continues) continueTurn(state)
      else runTurn(state, event.timestamp)
      return undefined
    case 'session:updated':
      Object.assign(state.session, event.facts)
      return undefined
    case 'usage:reported':
      return report(state, event)
    case 'todos:updated':
      findOrCreate(state, event.conversationId ?? 'main').todos = event.todos.map((todo) => ({ ...todo }))
      return undefined
    case 'branch:abandoned':
      return abandon(state, event)
  }
}

// Rule 4.
function upsert(state: State, event: EventOf<'block:upsert'>): Code {
  const conversationId = event.conversationId ?? event.block.conversationId ?? 'main'
  if (event.block.type === 'subagent') return upsertSubagent(state, event.block, conversationId)
  if (event.block.id.startsWith('subagent:')) return 'reserved-id'
  const thread = findOrCreate(state, conversationId)
  const { blocks } = thread
  const block: Block = JSON.parse(
    JSON.stringify({ ...event.block, conversationId: canonical(state, conversationId) }),
  )
  if (block.status !== 'pending') close(state, thread, block.id)
  const at = blocks.findIndex(({ id }) => id === block.id)
  const before = blocks[at]
  if (!before) blocks.push(block)
  else if (block.status === 'pending' && before.status !== 'pending') return 'stale-upsert'
  else blocks[at] = block
  const isActivity = block.status === 'pending' ? block.type !== 'system' : isPerson(block)
  const isMains = block.conversationId === 'main' && state.turn.status !== 'running'
  const returns = state.branches?.some((branch) => branch.blocks.some(({ id }) => id === block.id))
  if (isMains && isActivity && !before && !returns) runTurn(state, block.timestamp ?? event.timestamp)
  return undefined
}

function isPerson(block: Block): boolean {
  return block.type === 'user_message' && block.origin === undefined
}

// Rule 14.
function runTurn(state: State, startedAt: string | undefined): void {
  if (state.turn.status !== 'running') state.turn = { status: 'running' }
  if (startedAt !== undefined) state.turn.startedAt ??= startedAt
}

// Rules 10 and 16.
function idle(state: State, event: EventOf<'session:idle'>): Code {
  if (isCutOfNothing(state, event)) return undefined
  const isMain = (event.conversationId ?? 'main') === 'main'
  if (isMain) continueTurn(state)
  const thread = find(state, event.conversationId ?? 'main')
  const openBlocks = pendingIds(thread)
  finalize(thread, 'complete')
  if (isMain) endTurn(state, { ...(event.cut && { outcome: 'interrupted' }), ...event })
  if (event.cut) state.turn.openBlocks = openBlocks
  return undefined
}

function endTurn(state: State, { outcome, error, timestamp }: EventOf<'session:idle'>): void {
  const { turn } = state
  if (turn.status !== 'running' && outcome === undefined) return
  if (turn.status !== outcome) delete turn.error
  turn.status = outcome ?? 'finished'
  if (error !== undefined) turn.error = error
  if (timestamp !== undefined) turn.endedAt ??= timestamp
  const duration = Date.parse(turn.endedAt ?? '') - Date.parse(turn.startedAt ?? '')
  if (duration >= 0) turn.durationMs = duration
}

// Rule 5.
function appendDelta(state: State, event: EventOf<'block:delta'>): Code {
  if (event.delta === '') return undefined
  const thread = find(state, event.conversationId ?? 'main')
  const block = thread?.blocks.find(({ id }) => id === event.blockId)
  if (!block) return 'delta-before-block'
  if ((block.type === 'tool_use' || block.type === 'subagent') && block.inputText !== undefined) {
    block.inputText += event.delta
    return block.status === 'pending' ? undefined : 'delta-after-final'
  }
  if (!('content' in block) || typeof block.content !== 'string') return 'delta-without-text'
  if (block.content.length + event.delta.length > 268_435_456) return 'delta-too-long'
  block.content += event.delta
  return block.status === 'pending' ? undefined : 'delta-after-final'
}

// Rule 11. A branch goes with its mark.
function remove(state: State, event: EventOf<'block:removed'>): Code {
  take(state, event)
  if ((event.conversationId ?? 'main') !== 'main' || !state.branches) return undefined
  state.branches = state.branches.filter(({ id }) => id !== event.blockId)
  if (state.branches.length === 0) delete state.branches
  return undefined
}

// A subagent that was only announced goes with its block.
function take(state: State, event: Pick<EventOf<'block:removed'>, 'conversationId' | 'blockId'>): void {
  const thread = find(state, event.conversationId ?? 'main')
  const blocks = thread?.blocks ?? []
  const at = blocks.findIndex(({ id }) => id === event.blockId)
  const block = blocks[at]
  if (!block) return
  close(state, thread, block.id)
  const subagent = block.type === 'subagent' && byToolUseId(state, block.toolUseId)
  if (subagent && isOnlyAnnounced(state, subagent))
    state.subagents.splice(state.subagents.indexOf(subagent), 1)
  blocks.splice(at, 1)
}

// A rewind.
function abandon(state: State, event: EventOf<'branch:abandoned'>): Code {
  if ((event.conversationId ?? 'main') !== 'main') return undefined
  const blocks: Block[] = []
  for (const blockId of event.blockIds) {
    const block = state.blocks.find(({ id }) => id === blockId)
    if (block) blocks.push(block)
    take(state, { blockId })
  }
  if (blocks.length === 0) return undefined
  const branch = state.branches?.find(({ id }) => id === event.branchId)
  const isNew = ({ id }: Block) => !blocks.some((block) => block.id === id)
  const all = [...(branch?.blocks ?? []).filter(isNew), ...blocks]
  if (branch) branch.blocks = all
  else state.branches = [...(state.branches ?? []), { id: event.branchId, blocks }]
  return undefined
}

// Every parent exists, so one that has children stays.
function isOnlyAnnounced(state: State, subagent: Subagent): boolean {
  const { toolUseId, blocks, usage } = subagent
  const isParent = state.subagents.some(({ parentConversationId }) => parentConversationId === toolUseId)
  return isAnnounced(subagent) && blocks.length === 0 && usage.length === 0 && !isParent
}

interface Start {
  readonly toolUseId: string
  readonly agentId: string | undefined
  readonly formerId?: string | undefined
  readonly parent: string
  readonly status: SubagentStatus
  readonly facts: Facts
  readonly blockFacts: Facts
}

function spawn(state: State, event: EventOf<'subagent:spawned'>): Code {
  const { toolUseId, agentId, formerId, subagentType: name, description, prompt } = event
  const { runId, messageId, timestamp } = event
  return start(state, {
    toolUseId,
    agentId,
    formerId: formerId === toolUseId ? undefined : formerId,
    parent: event.conversationId ?? 'main',
    status: 'running',
    facts: { name, description, prompt: unlessEmpty(prompt), runId },
    blockFacts: { messageId, timestamp },
  })
}

function upsertSubagent(
  state: State,
  block: Extract<EventOf<'block:upsert'>['block'], { readonly type: 'subagent' }>,
  parent: string,
): Code {
  const { toolUseId, agentId, status, name, description, output, durationMs, messageId, timestamp } = block
  const prompt = unlessEmpty(block.input)
  const facts = { name, description, prompt, output, durationMs }
  const isNew = !byToolUseId(state, toolUseId)
  const code = start(state, {
    toolUseId,
    agentId,
    parent,
    status,
    facts,
    blockFacts: { messageId, timestamp },
  })
  const isMains = byToolUseId(state, toolUseId)?.parentConversationId === 'main'
  if (code !== 'cycle' && code !== 'reserved-id') showInputText(state, toolUseId, block.inputText)
  if (isNew && status === 'pending' && isMains) runTurn(state, timestamp)
  return code ?? (block.id === `subagent:${toolUseId}` ? undefined : 'other-block-id')
}

// Rules 6 to 8.
function start(state: State, call: Start): Code {
  const { toolUseId, agentId, formerId, status } = call
  if (toolUseId === 'main' || agentId === 'main' || formerId === 'main') return 'reserved-id'
  if (isUnderItself(state, call)) return 'cycle'
  if (formerId !== undefined) takeFormer(state, toolUseId, formerId)
  const first = byToolUseId(state, toolUseId)?.parentConversationId
  const isElsewhere = first !== undefined && first !== canonical(state, call.parent)
  const { subagent, code } = identify(state, toolUseId, agentId, status)
  if (first === undefined) {
    findOrCreate(state, call.parent)
    subagent.parentConversationId = canonical(state, call.parent)
  }
  fill(subagent, call.facts)
  if (status === 'running' && subagent.status === 'pending') subagent.status = 'running'
  // A block with a final status is read as the completion too, and the next completion replaces the output.
  if (isFinal(status) && !hasEnded(subagent)) {
    continueAgent(subagent)
    overwrite(subagent, { output: call.facts.output, durationMs: call.facts.durationMs })
    end(subagent, status)
  }
  show(state, subagent, call.blockFacts)
  return isElsewhere ? 'parent-conflict' : code
}

// The agentId counts too, unless it is another agent's.
function isUnderItself(state: State, { toolUseId, agentId, formerId, parent }: Start): boolean {
  if (parent === toolUseId || isUnder(state, parent, toolUseId)) return true
  if (formerId !== undefined && [parent, toolUseId].some((id) => isUnder(state, id, formerId))) return true
  if (formerId !== undefined && isUnder(state, formerId, toolUseId)) return true
  if (agentId === undefined) return false
  const isFree = !findSubagent(state, agentId) || findPlaceholder(state, agentId) !== undefined
  return isFree && isUnder(state, parent, agentId)
}

// Rule 9.
function resume(state: State, { toolUseId, runId, prompt, continues }: EventOf<'subagent:resumed'>): Code {
  if (toolUseId === 'main') return 'reserved-id'
  if (continues) {
    const known = findSubagent(state, toolUseId)
    if (known && runId !== undefined && runId !== (known.runId ?? runId)) return 'stale-run'
    if (known) continueAgent(known)
    return undefined
  }
  const subagent = findSubagent(state, toolUseId) ?? create(state, toolUseId, 'running')
  if (isFinal(subagent.status)) {
    if (runId !== undefined && runId === subagent.runId) return 'stale-run'
    subagent.status = 'running'
    delete subagent.runId
    delete subagent.openBlocks
  }
  fill(subagent, { runId, prompt: unlessEmpty(prompt) })
  return runId !== undefined && runId !== subagent.runId ? 'already-running' : undefined
}

// Rule 7.
function complete(state: State, event: EventOf<'subagent:completed'>): Code {
  const { agentId, runId, output, durationMs } = event
  if (event.toolUseId === 'main' || agentId === 'main') return 'reserved-id'
  const found = findSubagent(state, event.toolUseId)
  if (event.cut && (!found || isFinal(found.status))) return undefined
  const current = (found ?? findPlaceholder(state, agentId))?.runId
  if (runId !== undefined && current !== undefined && runId !== current) return 'stale-run'
  if (event.cut && found) {
    cutAgent(found, event.status === 'completed' ? 'success' : 'error')
    overwrite(found, { runId, output, durationMs })
    return undefined
  }
  const toolUseId = found?.toolUseId ?? event.toolUseId
  const { subagent, code } = identify(state, toolUseId, agentId, 'running')
  continueAgent(subagent)
  end(subagent, event.status === 'completed' ? 'success' : 'error')
  overwrite(subagent, { runId, output, durationMs })
  return code
}

// Section 2.3.
function report(state: State, event: EventOf<'usage:reported'>): Code {
  const { messageId, final, model, fromResult, usage } = event
  const entry: MessageUsage = { ...usage, messageId, final, ...(fromResult && { fromResult }) }
  const { usage: ledger } = findOrCreate(state, event.conversationId ?? 'main')
  addToLedger(ledger, model === undefined ? entry : { ...entry, model }, event.conversationId ?? 'main')
  return undefined
}

// The block alone has a time and a message id, from the first event that brings them.
function show(state: State, { toolUseId, parentConversationId = 'main' }: Subagent, blockFacts: Facts): void {
  const { blocks } = findOrCreate(state, parentConversationId)
  const id = `subagent:${toolUseId}`
  if (!blocks.some((block) => block.id === id)) {
    const block: Block = {
      type: 'subagent',
      id,
      conversationId: parentConversationId,
      toolUseId,
      input: '',
      status: 'running',
    }
    const at = callAt(blocks, toolUseId)
    if (at < 0) blocks.push(block)
    else blocks[at] = block
    if (at >= 0) close(state, find(state, parentConversationId), toolUseId)
  }
  fill(blocks.find((block) => block.id === id) ?? {}, blockFacts)
}

// Like the upsert of another call, that of an announced subagent replaces the text of its input.
function showInputText(state: State, toolUseId: string, inputText: string | undefined): void {
  const subagent = byToolUseId(state, toolUseId)
  const parent = subagent?.status === 'pending' && find(state, subagent.parentConversationId ?? 'main')
  const block = parent ? parent.blocks.find(({ id }) => id === `subagent:${toolUseId}`) : undefined
  if (block?.type !== 'subagent') return
  if (inputText === undefined) delete block.inputText
  else block.inputText = inputText
}

// A subagent's block shows the facts of its state.
function mirror(state: State, subagent: Subagent): void {
  const { toolUseId, agentId, name, description, prompt, output, durationMs, status } = subagent
  const { parentConversationId } = subagent
  const parent = parentConversationId === undefined ? undefined : find(state, parentConversationId)
  const block = parent?.blocks.find(({ id }) => id === `subagent:${toolUseId}`)
  if (block?.type === 'subagent' && !isAnnounced(subagent)) delete block.inputText
  if (block) overwrite(block, { agentId, name, description, input: prompt ?? '', output, durationMs, status })
}

// An empty prompt is unknown: its call still streams.
function unlessEmpty(prompt: string | undefined): string | undefined {
  return prompt === '' ? undefined : prompt
}
