import { omitUndefined } from '../../core/json/fields.ts'
import { timeInMs } from '../../core/json/lists.ts'
import { isObject } from '../../core/json/values.ts'
import { subjectField, subjectText } from '../../core/selectors/call-input.ts'
import { fileChanges } from '../../core/selectors/file-changes.ts'
import { findConversation } from '../../core/selectors/find.ts'
import { ownUsage } from '../../core/selectors/usage.ts'
import {
  type BlockOf,
  type ConversationBlock,
  isPrompt,
  messageIdOf,
  modelOf,
} from '../../core/state/block.ts'
import {
  type ConversationThread,
  MAIN,
  type MessageUsage,
  type SessionConversationState,
  TOKEN_COUNTS,
  type TokenUsage,
} from '../../core/state/session.ts'
import { agentTypeOf, type SubagentStatus } from '../../core/state/subagent.ts'
import type { SessionTurn } from '../../core/state/turn.ts'
import type { SessionSummary } from '../list/session-summary.ts'

/** What a session did on one day, in the conversations of one agent type, with one model. */
export interface SessionPart extends TokenUsage {
  /** The day in UTC, such as `2026-01-31`. Empty if the session states no time. */
  readonly day: string
  /** `'main'`, or the type of the agents. Empty for agents without one. */
  readonly agentType: string
  /** Empty if no message names it. */
  readonly model: string
  /** The turns of main, or the agents. */
  readonly turns: number
  readonly failed: number
  /** The time between requests and their answers. Absent if none states both times. */
  readonly waitedMs?: number
}

/** The calls of one tool on one day. */
export interface ToolPart {
  readonly day: string
  readonly tool: string
  readonly calls: number
  readonly failed: number
  /** The turns with such a call, in all conversations. */
  readonly turns: number
}

/** A call of a tool. */
export interface CallFacts {
  readonly conversationId: string
  readonly block: string
  readonly tool: string
  /** The path, the command or the like that the call works on. It may be shortened. */
  readonly target?: string
  readonly exit?: number
  readonly failed?: true
}

/** A subagent. */
export interface AgentFacts {
  readonly id: string
  readonly type?: string
  readonly status: SubagentStatus
  readonly parent: string
}

/** A changed file, with the sums of its changes. */
export interface ChangedFile {
  readonly path: string
  readonly added: number
  readonly removed: number
}

/** What is kept of a session beside its row. */
export interface SessionDetails {
  readonly parts: readonly SessionPart[]
  readonly tools: readonly ToolPart[]
  readonly calls: readonly CallFacts[]
  readonly subagents: readonly AgentFacts[]
  readonly files: readonly ChangedFile[]
}

export const NO_DETAILS: SessionDetails = { parts: [], tools: [], calls: [], subagents: [], files: [] }

/** Returns the details of a session. The summary states the day of what has no time. */
export function detailsOf(
  state: SessionConversationState,
  { startedAt, updatedAt }: Pick<SessionSummary, 'startedAt' | 'updatedAt'>,
): SessionDetails {
  const totals = new Totals(dayOf(startedAt ?? updatedAt))
  const { usage, turn, session } = state
  totals.addThread(state, { id: MAIN, agentType: MAIN, usage, model: session.model, turn })
  for (const agent of state.subagents) {
    const parent = findConversation(state, agent.parentConversationId ?? MAIN) ?? state
    const { toolUseId: id, status } = agent
    const agentType = agentTypeOf(agent)
    const model = agent.blocks.map(modelOf).find((each) => each !== undefined)
    totals.addThread(agent, { id, agentType, usage: ownUsage(agent.usage, parent.usage), model, status })
  }
  return {
    parts: totals.parts,
    tools: totals.tools,
    calls: totals.calls,
    subagents: state.subagents.map((agent) => {
      const { toolUseId, status, parentConversationId = MAIN } = agent
      const type = agentTypeOf(agent) || undefined
      return omitUndefined({ id: toolUseId, type, status, parent: parentConversationId })
    }),
    files: changedFiles(state),
  }
}

function changedFiles(state: SessionConversationState): readonly ChangedFile[] {
  const byPath = new Map<string, ChangedFile>()
  for (const { path, added = 0, removed = 0 } of fileChanges(state)) {
    const known = byPath.get(path) ?? { path, added: 0, removed: 0 }
    byPath.set(path, { path, added: known.added + added, removed: known.removed + removed })
  }
  return [...byPath.values()]
}

function dayOf(time: string | undefined): string {
  return time?.slice(0, 10) ?? ''
}

interface ThreadFacts {
  readonly id: string
  readonly agentType: string
  readonly usage: readonly MessageUsage[]
  readonly model: string | undefined
  /** That of an agent. */
  readonly status?: SubagentStatus
  /** Main's last turn. */
  readonly turn?: SessionTurn
}

type Growing<Part> = { -readonly [Key in keyof Part]: Part[Key] }

/** In UTF-16 units. */
const MAX_TARGET = 300

/** Sums up threads by day. */
class Totals {
  readonly calls: CallFacts[] = []
  readonly #parts = new Map<string, Growing<SessionPart>>()
  readonly #tools = new Map<string, Growing<ToolPart>>()
  readonly #firstDay: string

  constructor(firstDay: string) {
    this.#firstDay = firstDay
  }

  get parts(): readonly SessionPart[] {
    return [...this.#parts.values()]
  }

  get tools(): readonly ToolPart[] {
    return [...this.#tools.values()]
  }

  addThread({ blocks }: ConversationThread, facts: ThreadFacts): void {
    this.#addTurns(blocks, facts)
    this.#addUsage(blocks, facts)
    this.#addCalls(blocks, facts)
  }

  /** The last turn has its status. An earlier one has failed if an error is its last block. The runs of an agent count as one. */
  #addTurns(
    blocks: readonly ConversationBlock[],
    { agentType, model = '', status, turn }: ThreadFacts,
  ): void {
    if (agentType !== MAIN || status !== undefined) {
      const part = this.#part(this.#dayIn(blocks, 0), agentType, model)
      part.turns += 1
      if (status === 'error') part.failed += 1
      return
    }
    let part: Growing<SessionPart> | undefined
    for (const [at, block] of blocks.entries()) {
      if (isPrompt(block)) {
        part = this.#part(this.#dayIn(blocks, at), agentType, modelAfter(blocks, at) ?? model)
        part.turns += 1
      }
      const next = blocks[at + 1]
      if (part && block.type === 'error' && next && isPrompt(next)) part.failed += 1
    }
    if (turn?.status !== 'failed') return
    // A session may fail before its first prompt.
    part ??= this.#part(this.#dayIn(blocks, 0), agentType, model)
    part.failed += 1
    part.turns = Math.max(part.turns, part.failed)
  }

  #addUsage(
    blocks: readonly ConversationBlock[],
    { agentType, usage, model: known = '' }: ThreadFacts,
  ): void {
    const days = new Map<string, string>()
    for (const block of blocks) {
      const id = messageIdOf(block)
      if (id !== undefined && block.timestamp !== undefined && !days.has(id))
        days.set(id, dayOf(block.timestamp))
    }
    let last = this.#dayIn(blocks, 0)
    for (const { messageId, model = known, ...counts } of usage) {
      last = days.get(messageId) ?? last
      const part = this.#part(last, agentType, model)
      for (const name of TOKEN_COUNTS)
        if (counts[name] !== undefined) part[name] = (part[name] ?? 0) + counts[name]
    }
  }

  #addCalls(blocks: readonly ConversationBlock[], { id, agentType, model = '' }: ThreadFacts): void {
    const results = new Map<string, BlockOf<'tool_result'>>()
    const calledAt = new Map<string, string | undefined>()
    for (const block of blocks)
      if (block.type === 'tool_result') results.set(block.toolUseId, block)
      else if (block.type === 'tool_use') calledAt.set(block.toolUseId, block.timestamp)
    const waitedFor = new Set<string>()
    let turn = 0
    const turnsOf = new Map<object, number>()
    for (const [at, block] of blocks.entries()) {
      if (isPrompt(block)) turn += 1
      if (block.type === 'request') {
        const { toolUseId = '' } = block
        const waited = waitOf(block, results.get(toolUseId), calledAt.get(toolUseId))
        // A call waits once, however much it asks.
        if (waited !== undefined && !waitedFor.has(toolUseId)) {
          waitedFor.add(toolUseId)
          const part = this.#part(this.#dayIn(blocks, at), agentType, model)
          part.waitedMs = (part.waitedMs ?? 0) + waited
        }
      }
      if (block.type !== 'tool_use') continue
      const call = callFacts(id, block, results.get(block.toolUseId))
      this.calls.push(call)
      const tool = this.#tool(this.#dayIn(blocks, at), block.toolName)
      tool.calls += 1
      if (call.failed) tool.failed += 1
      if (turnsOf.get(tool) !== turn) tool.turns += 1
      turnsOf.set(tool, turn)
    }
  }

  /** Returns the day of the block, or else of the last one before it with a time. */
  #dayIn(blocks: readonly ConversationBlock[], at: number): string {
    for (let index = at; index >= 0; index -= 1) {
      const time = blocks[index]?.timestamp
      if (time !== undefined) return dayOf(time)
    }
    return this.#firstDay
  }

  #part(day: string, agentType: string, model: string): Growing<SessionPart> {
    const key = `${day}\n${agentType}\n${model}`
    const part = this.#parts.get(key) ?? { day, agentType, model, turns: 0, failed: 0 }
    this.#parts.set(key, part)
    return part
  }

  #tool(day: string, tool: string): Growing<ToolPart> {
    const key = `${day}\n${tool}`
    const part = this.#tools.get(key) ?? { day, tool, calls: 0, failed: 0, turns: 0 }
    this.#tools.set(key, part)
    return part
  }
}

/** Returns the first model that answers a prompt. */
function modelAfter(blocks: readonly ConversationBlock[], prompt: number): string | undefined {
  for (let at = prompt + 1; at < blocks.length; at += 1) {
    const block = blocks[at]
    if (!block || isPrompt(block)) return undefined
    const model = modelOf(block)
    if (model !== undefined) return model
  }
  return undefined
}

/**
 * Returns the ms that a request waited: until its call began, or until the call's result if nothing says how long the
 * call took. A question waits until the result, and one without a time as long as its call. Undefined without both times.
 */
function waitOf(
  { timestamp, kind }: BlockOf<'request'>,
  result: BlockOf<'tool_result'> | undefined,
  calledAt: string | undefined,
): number | undefined {
  const isWholeCall = timestamp === undefined && kind === 'question'
  const asked = isWholeCall ? calledAt : timestamp
  if (asked === undefined || result?.timestamp === undefined) return undefined
  const took = kind === 'question' ? 0 : (result.durationMs ?? 0)
  const waited = timeInMs(result.timestamp) - took - timeInMs(asked)
  return Number.isNaN(waited) ? undefined : Math.max(0, Math.round(waited))
}

function callFacts(
  conversationId: string,
  { id, toolName, input, status }: BlockOf<'tool_use'>,
  result: BlockOf<'tool_result'> | undefined,
): CallFacts {
  const target = targetOf(input)?.slice(0, MAX_TARGET)
  return {
    ...{ conversationId, block: id, tool: toolName },
    ...(target && { target }),
    ...(result?.exitCode !== undefined && { exit: result.exitCode }),
    ...((result?.isError || status === 'error') && { failed: true as const }),
  }
}

/** Returns the path, the command or the like that a call works on. */
function targetOf(input: unknown): string | undefined {
  if (!isObject(input)) return typeof input === 'string' ? input : undefined
  const field = subjectField(input)
  return field === undefined ? undefined : subjectText(input, field)
}
