/** A session in Harbor's Agent Trajectory Interchange Format, version 1.7. */
export interface AtifTrajectory {
  readonly schema_version: 'ATIF-v1.7'
  readonly session_id?: string
  /** Unique in the document. A subagent has the id of its call. */
  readonly trajectory_id: string
  readonly agent: AtifAgent
  readonly steps: readonly AtifStep[]
  readonly final_metrics: AtifFinalMetrics
  /** The subagents that this agent has called. */
  readonly subagent_trajectories?: readonly AtifTrajectory[]
}

/** The program, or a subagent by its type. */
export interface AtifAgent {
  readonly name: string
  readonly version: string
  readonly model_name?: string
}

/** A message of the person, a response of the model with the results of its calls, or a note of the program. */
export interface AtifStep {
  /** From 1 on, without gaps. */
  readonly step_id: number
  /** ISO 8601. */
  readonly timestamp?: string
  readonly source: 'user' | 'agent' | 'system'
  readonly model_name?: string
  readonly message: string | readonly AtifContentPart[]
  readonly reasoning_content?: string
  readonly tool_calls?: readonly AtifToolCall[]
  readonly observation?: { readonly results: readonly AtifResult[] }
  readonly metrics?: AtifMetrics
}

/** A part of a message or of a result. An image's `path` is an address, which may hold the bytes. */
export type AtifContentPart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image'; readonly source: { readonly media_type: string; readonly path: string } }

/** A call of a tool. */
export interface AtifToolCall {
  readonly tool_call_id: string
  readonly function_name: string
  readonly arguments: Readonly<Record<string, unknown>>
}

/** The result of a call. That of an agent's call refers to the agent's trajectory. */
export interface AtifResult {
  readonly source_call_id: string
  readonly content?: string | readonly AtifContentPart[]
  readonly subagent_trajectory_ref?: readonly { readonly trajectory_id: string }[]
}

/** The tokens of a response. An absent count is unknown. */
export interface AtifMetrics {
  /** All of the input, also what came from the cache. */
  readonly prompt_tokens?: number
  readonly completion_tokens?: number
  /** The part of the input that came from the cache. */
  readonly cached_tokens?: number
}

/** The sums of one trajectory, without those of its subagents. */
export interface AtifFinalMetrics {
  readonly total_prompt_tokens?: number
  readonly total_completion_tokens?: number
  readonly total_cached_tokens?: number
  /** In US dollars, as the program computed it. */
  readonly total_cost_usd?: number
  readonly total_steps: number
}
