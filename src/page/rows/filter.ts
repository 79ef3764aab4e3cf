import type { ConversationBlock } from 'agentfold'
import { keepChoice, keptChoice } from '../session/kept.ts'
import { Choices } from './choices.ts'

/** The kinds of blocks that a reader can hide. */
export type HiddenKind = (typeof KINDS)[number]

const KINDS = ['tools', 'thinking', 'notes'] as const

/** Which parts of the session the reader wants to see. */
export class Filter extends Choices {
  readonly #hidden = new Set<HiddenKind>()
  readonly #name: string | undefined
  #agentId: string | undefined

  /** A page of the same name that is loaded again has the same filter. */
  constructor(name?: string) {
    super()
    this.#name = name
    const kept = name === undefined ? undefined : keptChoice('sessionStorage', `filter ${name}`)
    const { agentId, hidden } = Object(JSON.parse(kept ?? '{}'))
    for (const kind of KINDS) if (Array.isArray(hidden) && hidden.includes(kind)) this.#hidden.add(kind)
    if (typeof agentId === 'string') this.#agentId = agentId
  }

  /** The agent that is shown alone, with the agents below it. */
  get agentId(): string | undefined {
    return this.#agentId
  }

  get isActive(): boolean {
    return this.#hidden.size > 0
  }

  isHidden(kind: HiddenKind): boolean {
    return this.#hidden.has(kind)
  }

  shows(block: ConversationBlock): boolean {
    const kind = kindOf(block)
    return kind === undefined || !this.#hidden.has(kind)
  }

  readonly toggle = (kind: HiddenKind): void => {
    if (!this.#hidden.delete(kind)) this.#hidden.add(kind)
    this.#keep()
  }

  readonly showAgent = (agentId: string | undefined): void => {
    this.#agentId = agentId
    this.#keep()
  }

  /** Shows everything. */
  reset(): void {
    this.#hidden.clear()
    this.showAgent(undefined)
  }

  #keep(): void {
    const value = JSON.stringify({ agentId: this.#agentId, hidden: [...this.#hidden] })
    if (this.#name !== undefined) keepChoice('sessionStorage', `filter ${this.#name}`, value)
    this.changed()
  }
}

function kindOf(block: ConversationBlock): HiddenKind | undefined {
  if (block.type === 'tool_use' || block.type === 'tool_result') return 'tools'
  if (block.type === 'thinking') return 'thinking'
  return block.type === 'skill_load' || isHousekeeping(block) ? 'notes' : undefined
}

/** The notes of a program that a person looks for. Marks of branches are among them. */
const TELLING: ReadonlySet<string> = new Set([
  ...['interruption', 'compaction', 'rewind', 'review', 'max_turns_reached', 'error', 'synthetic'],
])

/** Whether the block is a note that the program wrote for itself or for the model: a hook, a setting, a notification. */
export function isHousekeeping(block: ConversationBlock): boolean {
  if (block.type === 'system') return block.status !== 'error' && !TELLING.has(block.subtype)
  return block.type === 'user_message' && (block.origin === 'meta' || block.origin === 'notification')
}
