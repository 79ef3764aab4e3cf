import { stripVTControlCharacters } from 'node:util'
import { htmlReport } from '../../src/cli/page/html-report.ts'
import { RedactedEvents } from '../../src/cli/serve/redacted-events.ts'
import { sessionLines } from '../../src/cli/show/print-session.ts'
import type { SessionEvent } from '../../src/core/events/event.ts'
import { foldSessionEvents } from '../../src/core/reducer/reduce.ts'
import { createInitialConversationState } from '../../src/core/state/session.ts'
import { redactAll } from '../../src/redaction/redactions.ts'
import { redactSession } from '../../src/redaction/session.ts'
import { toMarkdown } from '../../src/sinks/markdown/to-markdown.ts'
import { KINDS, type Kind, randomFrom, showsPart, visiblePart } from './kinds.ts'
import { PLACES } from './places.ts'

/** A secret of which a part is visible: its kind, its place, and the outputs that show it. */
export interface Leak {
  readonly kind: string
  readonly place: string
  readonly outputs: readonly string[]
}

/** Returns the number of tries, and each secret of which one of the four outputs shows a part. */
export function findLeaks(
  kinds: readonly Kind[] = KINDS,
  seed = 1,
): {
  readonly tries: number
  readonly leaks: readonly Leak[]
} {
  const leaks = kinds.flatMap((kind, at) => leaksOf(kind, seed + at))
  return { tries: kinds.length * PLACES.length, leaks }
}

function leaksOf(kind: Kind, seed: number): readonly Leak[] {
  const random = randomFrom(seed)
  const secrets = PLACES.map(() => kind.make(random))
  const events = PLACES.flatMap(({ write }, at) => write(kind.write(secrets[at] ?? ''), at))
  const outputs = Object.entries(outputsOf(events))
  return PLACES.flatMap(({ name: place }, at) => {
    const visible = visiblePart(kind, secrets[at] ?? '')
    const found = outputs.filter(([, text]) => showsPart(text, visible)).map(([name]) => name)
    return found.length === 0 ? [] : [{ kind: kind.name, place, outputs: found }]
  })
}

/** Returns what each command shows, without marks that could hide a leak from the search. */
function outputsOf(events: readonly SessionEvent[]): Readonly<Record<string, string>> {
  const { state } = foldSessionEvents(createInitialConversationState(), events)
  const redacted = redactSession(state, redactAll)
  const options = { columns: 5_000, isStyled: false, isFull: true, redact: redactAll }
  const live = new RedactedEvents()
  const served = events.flatMap((event) => live.append([event]))
  return {
    show: joined([...sessionLines({ state: redacted, issues: [] }, options)].join('\n')),
    markdown: joined(toMarkdown(state, { redact: redactAll })),
    html: joined(htmlReport(state, { page: '<!-- session -->', redact: redactAll })),
    serve: joined(JSON.stringify(served)),
  }
}

function joined(text: string): string {
  return stripVTControlCharacters(text)
    .replace(/\\+/g, '\\')
    .replace(/\\(?=[^nrtu\\])/g, '')
}
