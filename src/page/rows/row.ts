/** One part of the page, in the order in which a person reads the session. */
export type Row = {
  /** Unique within the page. */
  readonly key: string
  readonly conversationId: string
  /** The agents around the row, from the outside in. */
  readonly lanes: readonly string[]
} & (
  | {
      readonly type: 'block'
      readonly blockId: string
      readonly isInRun: boolean
      /** The agent that the block stands for. */
      readonly agentId?: string | undefined
      /** Whether it is a prompt. */
      readonly isPrompt?: boolean | undefined
    }
  | { readonly type: 'run'; readonly blockIds: readonly string[] }
  | { readonly type: 'report' | 'orphan' | 'repeated' }
)

/** Deeper agents are shown at this level. */
export const MOST_LEVELS = 10

/** Returns the key of a block's row. */
export function rowKey(conversationId: string, blockId: string): string {
  return JSON.stringify([conversationId, blockId])
}

/** Returns the key of the row that sums up a run of calls, which begins with that block. */
export function runKey(conversationId: string, blockId: string): string {
  return JSON.stringify([conversationId, blockId, 'run'])
}
