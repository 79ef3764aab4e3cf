import type { IncomingBlock, SessionEvent } from '../../events/event.ts'
import { asString } from '../../json/values.ts'
import type { SessionFacts } from '../../state/session.ts'
import type { SourceIssue, SourceIssueCode, Translated } from '../source.ts'
import { truncateDepth } from './truncate-depth.ts'

/** One message on its way into events: the memory as it changes, and what the message gives. */
export class TranslationContext<Memory extends { readonly facts: SessionFacts }> {
  memory: Memory
  readonly #events: SessionEvent[] = []
  readonly #issues: SourceIssue[] = []

  constructor(memory: Memory) {
    this.memory = memory
  }

  /** Returns the message as far as it can be read. */
  read(message: unknown): unknown {
    const { message: read, isCut } = truncateDepth(message)
    if (isCut) this.#issues.push({ code: 'too-deep', count: 1 })
    return read
  }

  remember(news: Partial<Memory>): void {
    this.memory = { ...this.memory, ...news }
  }

  emit(event: SessionEvent): void {
    this.#events.push(event)
  }

  upsert(conversationId: string, block: IncomingBlock): void {
    this.emit({ type: 'block:upsert', conversationId, block })
  }

  reportUnknown(code: SourceIssueCode, messageType: string): void {
    this.#issues.push({ code, count: 1, messageType })
  }

  /** Says what has changed about the session. */
  updateFacts(facts: SessionFacts): void {
    const before = this.memory.facts
    const news = Object.fromEntries(
      Object.entries(facts).filter(([name, fact]) => !isSame(Reflect.get(before, name), fact)),
    )
    if (Object.keys(news).length === 0) return
    this.memory = { ...this.memory, facts: { ...before, ...news } }
    this.emit({ type: 'session:updated', facts: news })
  }

  /** Says what is newly known of the session; what is known already stays. */
  addMissingFacts(facts: SessionFacts): void {
    this.updateFacts({ ...facts, ...this.memory.facts })
  }

  finish(): Translated<Memory> {
    return { memory: this.memory, events: this.#events, issues: this.#issues }
  }
}

/** What an issue calls a message or a part of one, by its `type`. */
export function typeName(type: unknown): string {
  return asString(type) ?? 'untyped'
}

function isSame(left: unknown, right: unknown): boolean {
  return left === right || JSON.stringify(left) === JSON.stringify(right)
}
