import type { SessionEvent } from '../events/event.ts'
import type { Source, SourceIssue, Translated } from './source.ts'

/** Translates messages one by one. Returns all their events and issues, with the memory after the last message. */
export function translateInTurn<Memory>(
  translate: Source<Memory>['translate'],
  start: Memory,
  messages: Iterable<unknown>,
): Translated<Memory> {
  const events: SessionEvent[] = []
  const issues: SourceIssue[] = []
  let memory = start
  for (const message of messages) {
    const translated = translate(memory, message)
    memory = translated.memory
    // A spread into `push` overflows the stack for a long list.
    for (const event of translated.events) events.push(event)
    for (const issue of translated.issues) issues.push(issue)
  }
  return { memory, events, issues }
}
