import type { IncomingBlock, SessionEvent } from '../../events/event.ts'
import type { SourceIssue, SourceIssueCode, Translated } from '../source.ts'
import type { ClaudeMemory } from './memory.ts'

/** One message on its way into events: the memory as it changes, and what the message gives. */
export class Translation {
  memory: ClaudeMemory
  readonly #events: SessionEvent[] = []
  readonly #issues: SourceIssue[] = []

  constructor(memory: ClaudeMemory) {
    this.memory = memory
  }

  remember(news: Partial<ClaudeMemory>): void {
    this.memory = { ...this.memory, ...news }
  }

  emit(event: SessionEvent): void {
    this.#events.push(event)
  }

  upsert(conversationId: string, block: IncomingBlock): void {
    this.emit({ type: 'block:upsert', conversationId, block })
  }

  report(code: SourceIssueCode, messageType: string): void {
    this.#issues.push({ code, count: 1, messageType })
  }

  finish(): Translated<ClaudeMemory> {
    return { memory: this.memory, events: this.#events, issues: this.#issues }
  }
}
