import type { SubagentStatus } from '../../../src/core/state/subagent.ts'
import type { TurnStatus } from '../../../src/core/state/turn.ts'

/** The status of an agent, or that no agent is there. */
export type AgentStatus = SubagentStatus | 'absent'

/** The agents whose status the raw lines prove, by the id of the call that started them. */
export type ProvenAgents = ReadonlyMap<string, readonly AgentStatus[]>

/**
 * Reads raw messages without the code under test. After each message it knows the statuses that the messages so far allow. Most
 * often that is one status.
 */
export interface StatusOracle {
  read(message: unknown): void
  readonly main: readonly TurnStatus[]
  /** The model has answered, or its turn has failed. So the input may end here. */
  readonly hasAnswered: boolean
  readonly agents: ProvenAgents
  /** The program has asked the person something, and nothing shows an answer so far. */
  readonly isWaiting: boolean
}

export type Raw = Readonly<Record<string, unknown>>

/** Returns the value as an object. Any other value has no fields. */
export function raw(value: unknown): Raw {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {}
}

export function list(value: unknown): readonly Raw[] {
  return Array.isArray(value) ? value.map(raw) : []
}

export function text(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

/** Returns the statuses of both lists. */
export function either<Status>(left: readonly Status[], ...right: readonly Status[]): readonly Status[] {
  return [...new Set([...left, ...right])]
}
