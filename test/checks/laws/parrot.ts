import { reduceSessionEvents, type Session, type SessionEvent } from '../../../src/entries/index.ts'
import {
  declareNotes,
  defineSource,
  type NotesOf,
  type Reading,
  type Source,
  TranslationContext,
} from '../../../src/entries/source-kit.ts'

const FIELDS = { learned: 'string' } as const

export const parrotNotes = declareNotes({ source: 'parrot', version: 1 }, FIELDS)

type ParrotNotes = NotesOf<typeof FIELDS>
export type ParrotContext = TranslationContext<ParrotNotes>
type ParrotDefinition = Parameters<typeof defineSource<ParrotNotes, ParrotContext>>[0]

const definition: ParrotDefinition = {
  notes: parrotNotes,
  begin: (session) => new TranslationContext(session),
  open: () => {},
  translate: repeat,
  end: (context) => context.endInput(),
}

/** A program whose messages are `{ "say": "…" }`. The text of `{ "learn": "…" }` comes before the next one. */
export const parrot: Source = defineSource(definition)

/** Returns a parrot that is defined in another way. */
export function definedParrot(part: Partial<ParrotDefinition>): Source {
  return defineSource({ ...definition, ...part })
}

/** Returns a parrot with other functions. */
export function parrotWith(part: Partial<Source>): Source {
  return { ...parrot, ...part }
}

/** Returns a parrot with another result for each message. A batch is its messages one by one. */
export function parrotReading(readOne: (session: Session, message: unknown) => Reading): Source {
  return parrotWith({
    read(start, messages) {
      let reading: Reading = { session: start, events: [], issues: [] }
      for (const [index, message] of [...messages].entries()) {
        const { session, events, issues } = readOne(reading.session, message)
        reading = {
          session,
          events: [...reading.events, ...events],
          issues: [...reading.issues, ...issues.map((issue) => ({ ...issue, index }))],
        }
      }
      return reading
    },
  })
}

/** Translates a message into what the parrot says. */
export function repeat(message: unknown, context: ParrotContext): void {
  const learned = textIn(message, 'learn')
  const text = textOf(message)
  if (learned !== undefined) context.notes.remember({ learned })
  else if (text === undefined) context.reportUnknown('unknown-message', 'other')
  else say(text, context)
}

function say(text: string, context: ParrotContext): void {
  const { learned } = context.notes.values
  context.addMissingFacts({ program: 'parrot' })
  context.upsert('main', {
    id: `${context.state.blocksOf('main').length}`,
    type: 'assistant_text',
    status: 'complete',
    content: learned === undefined ? text : `${learned} ${text}`,
  })
  context.notes.remember({ learned: undefined })
}

export function textOf(message: unknown): string | undefined {
  return textIn(message, 'say')
}

function textIn(message: unknown, name: 'say' | 'learn'): string | undefined {
  const text: unknown = Object.hasOwn(Object(message), name) ? Object(message)[name] : undefined
  return typeof text === 'string' ? text : undefined
}

export const messages: readonly unknown[] = [{ say: 'one' }, { say: 'two' }, { say: 'three', like: 'four' }]

/** Returns the reading of these events alone. */
export function readingOf({ state, notes }: Session, events: readonly SessionEvent[]): Reading {
  return { session: { state: reduceSessionEvents(state, events), notes }, events, issues: [] }
}

/** Returns a parrot that emits the events after those of each of its messages. */
export function emitting(...events: readonly SessionEvent[]): Source {
  return definedParrot({
    translate(message, context) {
      repeat(message, context)
      if (textOf(message) !== undefined) for (const event of events) context.emit(event)
    },
  })
}

/** A source that keeps all texts in one set for all sessions. Its output depends on that set. */
export function sharing(texts: Set<string>): Source {
  return definedParrot({
    translate(message, context) {
      const text = textOf(message)
      if (text === undefined) return repeat(message, context)
      texts.add(text)
      repeat({ say: `${text} ${texts.has('one')}` }, context)
    },
  })
}

/** A source that returns no events for a session that was passed to `end`. */
export function closing(closed: Set<Session>): Source {
  return {
    ...parrotReading((session, message) =>
      closed.has(session) && textOf(message) !== undefined
        ? { session, events: [], issues: [] }
        : parrot.read(session, [message]),
    ),
    end(session) {
      if (session.state.blocks.length > 0) closed.add(session)
      return parrot.end(session)
    },
  }
}

/** Returns what a check throws. */
export function errorOf(run: () => void): unknown {
  try {
    run()
  } catch (error) {
    return error
  }
  return undefined
}
