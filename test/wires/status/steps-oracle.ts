import type { TurnStatus } from '../../../src/core/state/turn.ts'
import { type ProvenAgents, type Raw, raw, type StatusOracle } from './oracle.ts'

/** What a line of a file of whole messages means for main's turn. */
export type Meaning = 'work' | 'answer' | 'canceled' | 'end' | 'stop' | 'failure' | undefined

/** Reads the files of the programs that append whole messages. */
export class StepsOracle implements StatusOracle {
  readonly #meaningOf: (line: Raw) => Meaning
  readonly #agentField: string
  #main: TurnStatus = 'idle'
  readonly agents: ProvenAgents = new Map()
  readonly isWaiting = false

  constructor(meaningOf: (line: Raw) => Meaning, agentField = 'agentId') {
    this.#meaningOf = meaningOf
    this.#agentField = agentField
  }

  get main(): readonly TurnStatus[] {
    return [this.#main]
  }

  get hasAnswered(): boolean {
    return this.#main === 'finished' || this.#main === 'failed' || this.#main === 'interrupted'
  }

  read(message: unknown): void {
    const line = raw(message)
    if (line[this.#agentField] !== undefined) return
    const meaning = this.#meaningOf(line)
    if (meaning === 'work') this.#main = 'running'
    if (meaning === 'answer') this.#main = 'finished'
    if (meaning === 'canceled') this.#main = 'interrupted'
    if (meaning === 'end' && this.#main === 'running') this.#main = 'finished'
    if (meaning === 'stop' && this.#main === 'running') this.#main = 'interrupted'
    if (meaning === 'failure' && this.#main === 'running') this.#main = 'failed'
  }
}
