import { asObject } from '../core/json/values.ts'
import { Batch } from '../core/reducer/batch.ts'
import { applyEvent } from '../core/reducer/reduce.ts'
import type { SessionConversationState } from '../core/state/session.ts'
import { createInitialConversationState, MAIN } from '../core/state/session.ts'
import type { InputEnd, OpenSession, TranslatedBatch, TranslationContext } from './context.ts'
import { continuationOf } from './cut.ts'
import { BrokenLine } from './input/entries.ts'
import type { TranscriptRules } from './input/transcripts.ts'
import { type CommonNotes, Notes, type NotesDeclaration, newNotes, notesOf } from './notes/notes.ts'
import type { Reading, Session, Source } from './source.ts'

/** The parts of a source that differ from wire to wire. */
interface SourceDefinition<Values extends CommonNotes, Context extends TranslationContext<Values>> {
  readonly notes: NotesDeclaration<Values>
  /** Returns the context of a batch of messages. */
  readonly begin: (session: OpenSession<Values>) => Context
  /** Makes the notes that are needed to go on from a state alone. It emits nothing. */
  readonly open: (state: SessionConversationState, context: Context) => void
  /** Translates the next message of the batch. */
  readonly translate: (message: unknown, context: Context) => void
  /** Remembers that a line of main or of an agent is not JSON. The next message is the next line that is. */
  readonly onBrokenLine?: (agentId: string | undefined, context: Context) => void
  /** Translates the end of the input. */
  readonly end: (context: Context) => InputEnd
  /** How the files of a session become one stream of messages. By default the files are those of main, in the order of their times. */
  readonly transcripts?: TranscriptRules
}

/** Returns the source of a wire. */
export function defineSource<Values extends CommonNotes, Context extends TranslationContext<Values>>({
  notes: declaration,
  begin: beginOwn,
  open,
  translate,
  onBrokenLine,
  end,
  transcripts = {},
}: SourceDefinition<Values, Context>): Source {
  const begin = (session: Session) => {
    const notes = notesOf(declaration, asObject(session).notes)
    return beginOwn({ state: session.state, notes })
  }
  const closed = (context: Context, before: Session) => readingOf(declaration, context.finish(), before)
  const empty: Session = {
    state: createInitialConversationState(),
    notes: newNotes(declaration),
  }
  return {
    notes: [declaration],
    rulesOf: () => transcripts,
    open(state) {
      if (!state) return empty
      const context = beginOwn({ state, notes: declaration.initial })
      open(continued(state), context)
      return closed(context, empty).session
    },
    read(session, messages) {
      const context = begin(session)
      for (const message of messages) {
        if (BrokenLine.isOne(message)) {
          const { transcript } = message
          if (transcript !== undefined) context.noteBrokenStart(transcript)
          onBrokenLine?.(transcript, context)
          continue
        }
        context.nextMessage()
        translate(message, context)
      }
      return closed(context, session)
    },
    end(session) {
      const context = begin(session)
      const { ending, issues } = end(context)
      const reading = closed(context, session)
      return { ...reading, issues: [...reading.issues, ...issues], ending }
    },
  }
}

/** Returns the state as it was before the end of an input cut it. A later message goes on there. */
function continued(state: SessionConversationState): SessionConversationState {
  const ids = state.subagents.flatMap(({ toolUseId, openBlocks }) => (openBlocks ? [toolUseId] : []))
  if (state.turn.openBlocks) ids.push(MAIN)
  const draft = new Batch(state)
  for (const id of ids) applyEvent(draft, continuationOf(id))
  return draft.finish()
}

/** Returns the result of a batch. A part that has not changed keeps its reference. */
function readingOf<Values extends object>(
  declaration: NotesDeclaration<Values>,
  { session: { state, notes }, events, issues }: TranslatedBatch<Values>,
  before: Session,
): Reading {
  const isSame = notes === before.notes.values
  if (isSame && state === before.state) return { session: before, events, issues }
  return { session: { state, notes: isSame ? before.notes : new Notes(declaration, notes) }, events, issues }
}
