import {
  buildSessionTree,
  type ConversationBlock,
  findSubagent,
  type SessionConversationState,
  sessionStatus,
} from 'agentfold'
import type { Filter } from './filter.ts'
import type { OpenState } from './open-state.tsx'
import { type Row, rowKey, runKey } from './row.ts'
import { isAtEnd } from './row-window.ts'
import { ConversationShape, type ShapePart } from './shape.ts'

/** The conversations of more agents are closed at first. */
const FEW_AGENTS = 12

/** Makes the rows of a session. As long as no row appears or disappears, it returns the same list: a delta changes no row. */
export class RowBuilder {
  readonly #open: OpenState
  readonly #filter: Filter
  readonly #shapes = new Map<string, ConversationShape>()
  #basis: readonly unknown[] = []
  #rows: readonly Row[] = []

  constructor(open: OpenState, filter: Filter) {
    this.#open = open
    this.#filter = filter
  }

  readonly build = (state: SessionConversationState): readonly Row[] => {
    const parts = this.#partsOf(state)
    const reports = state.subagents.filter(hasReport).map(({ toolUseId }) => toolUseId)
    const orphans = orphansIn(state)
    const basis = [
      this.#open.version,
      this.#filter.version,
      ...parts.values(),
      ...reports,
      'orphans',
      ...orphans,
    ]
    const isSame = basis.length === this.#basis.length && basis.every((each, at) => each === this.#basis[at])
    if (isSame) return this.#rows
    this.#basis = basis
    const walk = new Walk({ open: this.#open, parts, reports: new Set(reports) })
    const { agentId } = this.#filter
    walk.addConversation(agentId ?? 'main', [])
    if (agentId === undefined) for (const orphan of orphans) walk.addOrphan(orphan)
    this.#rows = walk.rows
    return this.#rows
  }

  #partsOf(state: SessionConversationState): ReadonlyMap<string, readonly ShapePart[]> {
    const isOver = !['running', 'waiting'].includes(sessionStatus(state))
    const mayFold = isAtEnd()
    const main = this.#shape('main').update(this.#shown(state.blocks), isOver, mayFold)
    const parts = new Map([['main', main]])
    for (const { toolUseId, blocks, status } of state.subagents)
      parts.set(toolUseId, this.#shape(toolUseId).update(this.#shown(blocks), status !== 'running', mayFold))
    return parts
  }

  #shown(blocks: readonly ConversationBlock[]): readonly ConversationBlock[] {
    return this.#filter.isActive ? blocks.filter((block) => this.#filter.shows(block)) : blocks
  }

  #shape(conversationId: string): ConversationShape {
    const shape = this.#shapes.get(conversationId) ?? new ConversationShape()
    this.#shapes.set(conversationId, shape)
    return shape
  }
}

/** Whether an agent is open at first. */
export function isAgentOpen({ subagents }: Pick<SessionConversationState, 'subagents'>): boolean {
  return subagents.length <= FEW_AGENTS
}

/** Whether the agent's output is not its last text. */
function hasReport({ output, blocks }: SessionConversationState['subagents'][number]): boolean {
  const last = blocks.at(-1)
  return !!output && !(last?.type === 'assistant_text' && last.content === output)
}

/** Returns the agents without a known call. No conversation has a block for them. */
function orphansIn(state: SessionConversationState): readonly string[] {
  return buildSessionTree(state)
    .children.filter(({ lineage }) => lineage === 'orphan' || lineage === 'cycle')
    .map(({ conversationId: id }) => findSubagent(state, id)?.toolUseId ?? id)
}

interface WalkOptions {
  readonly open: OpenState
  readonly parts: ReadonlyMap<string, readonly ShapePart[]>
  readonly reports: ReadonlySet<string>
}

class Walk {
  readonly rows: Row[] = []
  readonly #options: WalkOptions
  readonly #areAgentsOpen: boolean

  constructor(options: WalkOptions) {
    this.#options = options
    this.#areAgentsOpen = options.parts.size - 1 <= FEW_AGENTS
  }

  addConversation(conversationId: string, lanes: readonly string[]): void {
    for (const part of this.#options.parts.get(conversationId) ?? []) {
      if (part.type === 'run') this.#addRun(part.blockIds, conversationId, lanes)
      else this.#addBlock(part, conversationId, lanes)
    }
  }

  addOrphan(agentId: string): void {
    this.rows.push({ type: 'orphan', key: rowKey(agentId, 'orphan'), conversationId: agentId, lanes: [] })
    this.#addAgent(agentId, rowKey(agentId, 'orphan'), [])
  }

  #addRun(blockIds: readonly string[], conversationId: string, lanes: readonly string[]): void {
    const key = runKey(conversationId, blockIds[0] ?? '')
    this.rows.push({ type: 'run', key, conversationId, lanes, blockIds })
    if (!this.#options.open.isOpen(key, false)) return
    for (const blockId of blockIds)
      this.rows.push({
        ...{ type: 'block', key: rowKey(conversationId, blockId), conversationId, lanes, blockId },
        isInRun: true,
      })
  }

  #addBlock(
    { blockId, agentId, isPrompt }: Extract<ShapePart, { type: 'block' }>,
    conversationId: string,
    lanes: readonly string[],
  ): void {
    const key = rowKey(conversationId, blockId)
    const kind = { agentId, isPrompt }
    this.rows.push({ type: 'block', key, conversationId, lanes, blockId, isInRun: false, ...kind })
    if (agentId !== undefined) this.#addAgent(agentId, key, lanes)
  }

  /** Bad data may put an agent below itself, which is not shown again there. */
  #addAgent(agentId: string, key: string, lanes: readonly string[]): void {
    if (!this.#options.open.isOpen(key, this.#areAgentsOpen)) return
    const inside = [...lanes, agentId]
    if (lanes.includes(agentId)) {
      this.rows.push({ type: 'repeated', key: `${key} repeated`, conversationId: agentId, lanes: inside })
      return
    }
    this.addConversation(agentId, inside)
    if (this.#options.reports.has(agentId))
      this.rows.push({
        type: 'report',
        key: rowKey(agentId, 'report'),
        conversationId: agentId,
        lanes: inside,
      })
  }
}
