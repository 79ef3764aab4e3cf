import type { ConversationBlock } from '../state/block.ts'
import type { ConversationThread, MessageUsage, SubagentState } from '../state/session.ts'
import { OwnedList } from './owned-list.ts'

/** A conversation, main or a subagent's, as a batch changes it. */
export class Thread {
  /** `'main'` or the `toolUseId`. */
  readonly id: string
  readonly blocks: OwnedList<ConversationBlock>
  readonly usage: OwnedList<MessageUsage>
  /** Blocks before this one are final, and a final block never becomes pending again. */
  settled = 0

  constructor(id: string, { blocks, usage }: ConversationThread) {
    this.id = id
    this.blocks = new OwnedList(blocks, (block) => block.id)
    this.usage = new OwnedList(usage, (entry) => entry.messageId)
  }
}

/** What is known of a subagent beside its conversation. */
export type SubagentFacts = Omit<SubagentState, keyof ConversationThread>

/** A subagent's thread together with its facts. */
export class SubagentThread extends Thread {
  readonly #subagents: OwnedList<SubagentState>

  constructor(subagents: OwnedList<SubagentState>, state: SubagentState) {
    super(state.toolUseId, state)
    this.#subagents = subagents
  }

  get facts(): SubagentFacts {
    return this.#found.item
  }

  update(facts: Partial<SubagentState>): void {
    if (changes(this.#found.item, facts)) Object.assign(this.#subagents.edit(this.#found), facts)
  }

  /** Takes over what is not known yet. */
  fill(facts: Partial<SubagentFacts>): void {
    this.update({ ...facts, ...this.facts })
  }

  /** The run is not known any more. */
  forgetRun(): void {
    if (this.facts.runId !== undefined) delete this.#subagents.edit(this.#found).runId
  }

  /** Writes changed blocks and usage back to the list of subagents. */
  finish(): void {
    this.update({ blocks: this.blocks.finish(), usage: this.usage.finish() })
  }

  get #found() {
    const found = this.#subagents.find(this.id)
    if (!found) throw new RangeError(`absorbed: ${this.id}`)
    return found
  }
}

/** Whether the fields would change anything. */
export function changes<Item extends object>(item: Item, fields: Partial<Item>): boolean {
  for (const key in fields) if (item[key] !== fields[key]) return true
  return false
}
