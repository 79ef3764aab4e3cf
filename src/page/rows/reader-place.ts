import type { Row } from './row.ts'

/** The row that the reader sees at the top of the view. */
export interface CurrentPlace {
  readonly conversationId: string
  /** The last prompt of main before it. */
  readonly promptId?: string | undefined
}

/** The place of the reader. It changes with each scroll to another agent or prompt. */
export class ReaderPlace {
  readonly #listeners = new Set<() => void>()
  #current: CurrentPlace = { conversationId: 'main' }

  readonly get = (): CurrentPlace => this.#current

  /** Sets the place to the row at the top of the view. */
  readonly set = (rows: readonly Row[], at: number): void => {
    const row = rows[at]
    if (!row) return
    const conversationId = (row.type === 'block' && row.agentId) || row.conversationId
    const prompt = rows.findLast((each, place) => place <= at && isMainPrompt(each))
    const promptId = prompt?.type === 'block' ? prompt.blockId : undefined
    const { conversationId: before, promptId: lastPrompt } = this.#current
    if (conversationId === before && promptId === lastPrompt) return
    this.#current = { conversationId, promptId }
    for (const listener of this.#listeners) listener()
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }
}

/** Whether the row is a prompt of the person. */
export function isMainPrompt(row: Row): boolean {
  return row.type === 'block' && row.isPrompt === true && row.conversationId === 'main'
}
