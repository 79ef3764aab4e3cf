import { fileChanges } from '../../selectors/file-changes.ts'
import { findSubagent } from '../../selectors/find.ts'
import { type SubagentPlace, subagentPlaces } from '../../selectors/forest.ts'
import type { BlockOf } from '../../state/block.ts'
import {
  type Branch,
  type ConversationThread,
  MAIN,
  type SessionConversationState,
  type SubagentState,
} from '../../state/session.ts'
import { type AgentFacts, agentSummary, factsOfBlock, outputOfAgent, promptOfAgent } from './agent.ts'
import { agentHead, planPieces, sessionHead } from './head.ts'
import { type MarkdownOptions, withDefaults } from './options.ts'
import { SessionText } from './text/session-text.ts'
import { Details } from './text/summary.ts'
import { plural } from './text/values.ts'
import { systemPiece, threadPieces } from './thread.ts'
import type { Writer } from './tool-call.ts'

/**
 * Returns a session as a Markdown document for people. It begins with the facts of the session. Prompts are headings with their answers
 * below. Thinking, tool calls and agents are collapsed. The same state gives the same text, and its end is a line break.
 *
 * Prompts and answers keep their Markdown. Raw HTML in them is escaped outside code, images become links, and headings move two levels
 * down. Inputs and outputs of tools are always blocks of code. So no text of a session can run as HTML, or end the part that it is in.
 *
 * Throws a `RangeError` if the state has no conversation with that `conversationId`, or if `toolOutputLines` is no whole number from 0.
 */
export function toMarkdown(state: SessionConversationState, options: MarkdownOptions = {}): string {
  const { conversationId = MAIN, details, ...rest } = withDefaults(options)
  const document = new Document(state, { text: new SessionText(rest), details: new Details(details) })
  return document.write(conversationId)
}

/** The rest of a conversation: its pieces, and its agents in their places. */
type Pieces = Generator<string | Descent, void>

/** A part with a conversation of its own. It is written before the rest, without recursion: agents may be nested to any depth. */
interface Descent {
  readonly pieces: Pieces
}

class Document {
  readonly #state: SessionConversationState
  readonly #writer: Writer
  readonly #lineages = new Map<SubagentState, SubagentPlace['lineage']>()
  readonly #agentIds: ReadonlySet<string>
  readonly #children = new Map<SubagentState | undefined, SubagentState[]>()

  constructor(state: SessionConversationState, writer: Writer) {
    this.#state = state
    this.#writer = writer
    const { subagents } = state
    this.#agentIds = new Set(subagents.map(({ toolUseId }) => toolUseId))
    for (const { index, parent, lineage } of subagentPlaces(state)) {
      const agent = subagents[index]
      if (!agent) continue
      this.#lineages.set(agent, lineage)
      const parentAgent = parent === undefined ? undefined : subagents[parent]
      const siblings = this.#children.get(parentAgent)
      if (siblings) siblings.push(agent)
      else this.#children.set(parentAgent, [agent])
    }
  }

  write(conversationId: string): string {
    const out: string[] = []
    const stack: Pieces[] = [this.#start(conversationId)]
    for (let top = stack.at(-1); top; top = stack.at(-1)) {
      const { done, value } = top.next()
      if (done) stack.pop()
      else if (typeof value !== 'string') stack.push(value.pieces)
      else if (value !== '') out.push(value)
    }
    return `${out.join('\n\n')}\n`
  }

  #start(conversationId: string): Pieces {
    if (conversationId === MAIN) return this.#session()
    const agent = findSubagent(this.#state, conversationId)
    if (!agent) throw new RangeError(`the state has no conversation ${JSON.stringify(conversationId)}`)
    return this.#agentAlone(agent)
  }

  *#session(): Pieces {
    const { text } = this.#writer
    yield* sessionHead(this.#writer, this.#state)
    yield* planPieces(text, this.#state)
    yield* this.#conversation(this.#state, undefined)
  }

  *#agentAlone(agent: SubagentState): Pieces {
    const changes = fileChanges(this.#state).filter((change) => change.conversationId === agent.toolUseId)
    yield* agentHead(this.#writer, agent, changes)
    yield* this.#agentBody(agent, agent)
  }

  /** Yields an agent. Its block may know what the agent does not. */
  *#agent(agent: SubagentState, block?: BlockOf<'subagent'>): Pieces {
    const { text, details } = this.#writer
    const calls = agent.blocks.filter(({ type }) => type === 'tool_use').length
    const lineage = this.#lineages.get(agent) ?? 'root'
    const isOrphan = lineage === 'root' && agent.parentConversationId !== MAIN
    const facts: AgentFacts = block ? { ...factsOfBlock(block), ...agent } : agent
    const summary = agentSummary(text, facts, { calls, lineage: isOrphan ? 'orphan' : lineage })
    yield details.open(summary)
    yield* this.#agentBody(agent, facts)
    yield details.close([{ bold: `End of agent ${text.short(agent.name ?? '')}`.trim() }])
  }

  *#agentBody(agent: SubagentState, facts: AgentFacts): Pieces {
    const { text } = this.#writer
    yield* promptOfAgent(text, facts, agent.blocks)
    yield* planPieces(text, agent)
    yield* this.#conversation(agent, agent)
    yield* outputOfAgent(text, facts, agent.blocks)
  }

  /** Yields a conversation with the agents that it started. Those without a call in it come last. */
  *#conversation(thread: ConversationThread, parent: SubagentState | undefined): Pieces {
    const children = new Map<string, SubagentState[]>()
    for (const child of this.#children.get(parent) ?? []) {
      const same = children.get(child.toolUseId)
      if (same) same.push(child)
      else children.set(child.toolUseId, [child])
    }
    const branches = new Map(
      (parent ? [] : (this.#state.branches ?? [])).map((branch) => [branch.id, branch]),
    )
    yield* this.#blocks(thread.blocks, { children, branches, isMain: parent === undefined })
    for (const branch of branches.values()) yield* this.#branch(branch, children)
    for (const agents of children.values()) for (const agent of agents) yield { pieces: this.#agent(agent) }
  }

  *#blocks(
    blocks: ConversationThread['blocks'],
    {
      children,
      branches,
      isMain,
    }: {
      readonly children: Map<string, SubagentState[]>
      readonly branches: Map<string, Branch>
      readonly isMain: boolean
    },
  ): Pieces {
    for (const piece of threadPieces(this.#writer, blocks, isMain)) {
      if (typeof piece === 'string') yield piece
      else if (piece.type === 'system') {
        yield systemPiece(this.#writer, piece)
        const branch = branches.get(piece.id)
        branches.delete(piece.id)
        if (branch) yield* this.#branch(branch, children)
      } else {
        const agent = children.get(piece.toolUseId)?.shift()
        if (agent) yield { pieces: this.#agent(agent, piece) }
        else yield* this.#agentBlock(piece)
      }
    }
  }

  /** Yields a part of main that the person abandoned. */
  *#branch({ blocks }: Branch, children: Map<string, SubagentState[]>): Pieces {
    const { details } = this.#writer
    yield details.open([{ bold: 'Abandoned branch' }, `(${plural(blocks.length, 'block')})`])
    yield* this.#blocks(blocks, { children, branches: new Map(), isMain: false })
    yield details.close([{ bold: 'End of the abandoned branch' }])
  }

  /** Yields the block of an agent whose conversation is elsewhere, or not known. A forked agent repeats such blocks of its parent. */
  *#agentBlock(block: BlockOf<'subagent'>): Pieces {
    const { text, details } = this.#writer
    const facts = factsOfBlock(block)
    const isElsewhere = this.#agentIds.has(block.toolUseId)
    const summary = agentSummary(text, facts, { calls: 0, lineage: 'child' })
    if (isElsewhere) yield details.around([...summary, 'its conversation is elsewhere in this document'], [])
    else yield details.around(summary, [...promptOfAgent(text, facts, []), ...outputOfAgent(text, facts, [])])
  }
}
