import { type FieldsOf, mergeFields, type ShapeOf } from '../json/shape.ts'

/**
 * Lifecycle of a subagent. `pending` is announced: its call still streams, and the subagent has not started.
 * `success` and `error` are final. Only a resume leads back to `running`.
 */
export type SubagentStatus = 'pending' | 'running' | 'success' | 'error'

const SUBAGENT_STATUS: ShapeOf<SubagentStatus> = {
  oneOf: { pending: true, running: true, success: true, error: true },
}

/** Whether a subagent with that status has ended its run. */
export function isFinal(status: SubagentStatus): status is 'success' | 'error' {
  return status === 'success' || status === 'error'
}

/** Whether a subagent's run has ended by itself. A run that ended with the input has `openBlocks`, and a later input may go on with it. */
export function hasEnded({
  status,
  openBlocks,
}: {
  readonly status: SubagentStatus
  readonly openBlocks?: readonly string[]
}): boolean {
  return isFinal(status) && openBlocks === undefined
}

/** Facts that a spawn brings. The state and the subagent's block have them under the same names. */
export interface SpawnFacts {
  readonly description?: string
  /** The agent type, where the name is a nickname of one agent. Empty if the program states none. */
  readonly agentType?: string
  /** The phase of the workflow in which the agent works. */
  readonly phase?: string
  /**
   * The tool call that launched the agent together with others, as a workflow does. Such an agent has no call of its
   * own: its key is the `agentId`, and its block is below that call.
   */
  readonly launchedBy?: string
}

/** The shape of the facts that a spawn brings. */
export const SPAWN_FACTS: FieldsOf<SpawnFacts> = {
  'description?': 'string',
  'agentType?': 'string',
  'phase?': 'string',
  'launchedBy?': 'name',
}

/** Facts that a completion brings. The state and the subagent's block have them under the same names. */
export interface CompletionFacts {
  readonly output?: string
  /** In ms. */
  readonly durationMs?: number
}

/** The shape of the facts that a completion brings. */
export const COMPLETION_FACTS: FieldsOf<CompletionFacts> = {
  'output?': 'string',
  'durationMs?': 'finite number',
}

/** Facts that a subagent's state and its block share. An absent field is unknown. */
export interface SubagentFacts extends SpawnFacts, CompletionFacts {
  /** The tool call that started the subagent: the primary key. */
  readonly toolUseId: string
  readonly status: SubagentStatus
  /** The program's own id for the agent: the second key. */
  readonly agentId?: string
  /**
   * The agent type, such as `general-purpose`, the label of an agent of a workflow, or a nickname: then there is an
   * `agentType`.
   */
  readonly name?: string
}

/** Returns the type of an agent. Empty if nothing states it. */
export function agentTypeOf({
  name = '',
  agentType = name,
}: Pick<SubagentFacts, 'name' | 'agentType'>): string {
  return agentType
}

/** The shape of the facts that a subagent's state and its block share. */
export const SUBAGENT_FACTS: FieldsOf<SubagentFacts> = /* @__PURE__ */ mergeFields(
  SPAWN_FACTS,
  COMPLETION_FACTS,
  { toolUseId: 'name', status: SUBAGENT_STATUS, 'agentId?': 'name', 'name?': 'string' },
)
