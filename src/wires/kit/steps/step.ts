import type { JsonObject } from '../../../core/json/values.ts'
import type { UserMessageBlock, UserMessageOrigin } from '../../../core/state/block.ts'
import type { FileChange } from '../../../core/state/file-change.ts'
import type { SessionFacts, TokenUsage } from '../../../core/state/session.ts'
import type { Todo } from '../../../core/state/todo.ts'
import type { TranslationContext } from '../../../reading/context.ts'
import { declareNotes, type NotesDeclaration, type NotesOf } from '../../../reading/notes/notes.ts'
import { RENAMED_CALLS } from '../reused-ids.ts'

// A session in a file of whole messages, as a program appends them:
//
//   a person asks         → prompt    starts a turn
//   the model calls       → reply     with a call: the turn goes on
//   a tool answers        → result    of the call with its id, or of the first open call
//   the model answers     → reply     without a call: the turn has ended, until more work comes
//   the program speaks    → prompt with an origin, note, compaction: nobody's words, and no turn
//   a turn breaks off     → stop      failed or interrupted, or finished by the program's own word

/** One thing that a line of such a file says. */
export type Step =
  | FactsStep
  | PromptStep
  | ReplyStep
  | ResultStep
  | NoteStep
  | StopStep
  | CompactionStep
  | AgentEndStep
  // A part of a value that is known itself.
  | { readonly type: 'unknown'; readonly name: string }

interface Timed {
  /** ISO 8601. */
  readonly time?: string | undefined
}

/** Facts of the session, and the tokens of all its messages if no message states its own. */
interface FactsStep {
  readonly type: 'facts'
  /** The call that has started the agent of the file. */
  readonly callId?: string | undefined
  readonly facts: { readonly [Name in keyof SessionFacts]?: SessionFacts[Name] | undefined }
  readonly usage?: TokenUsage | undefined
}

/** A message to the model: a person's, or the program's if it has an origin. */
export interface PromptStep extends Timed {
  readonly type: 'prompt'
  readonly id: string
  readonly content: UserMessageBlock['content']
  readonly origin?: UserMessageOrigin | undefined
  /** The model answers the program's message. */
  readonly isAnswered?: boolean | undefined
  readonly changes?: readonly FileChange[] | undefined
}

/** A message of the model. */
export interface ReplyStep extends Timed {
  readonly type: 'reply'
  readonly id: string
  readonly parts: readonly ReplyPart[]
  /** The turn goes on. By default, it does so after a call. */
  readonly goesOn?: boolean | undefined
  /** A part of a message that comes in several lines. It comes behind the parts before it, and does not end the turn. */
  readonly isPart?: true
  readonly model?: string | undefined
  readonly usage?: TokenUsage | undefined
}

export type ReplyPart =
  | { readonly type: 'text' | 'thinking'; readonly text: string }
  | {
      readonly type: 'call'
      readonly id: string
      readonly name: string
      readonly input: unknown
      /** The agents that the call starts. One alone is the call itself. */
      readonly agents?: readonly StartedAgent[] | undefined
    }

/** An agent that a call starts. */
export interface StartedAgent {
  readonly prompt: string
  readonly name?: string | undefined
  readonly description?: string | undefined
}

/** The result of a tool. */
export interface ResultStep extends Timed {
  readonly type: 'result'
  /** Without an id, it is the result of the first open call. */
  readonly callId?: string | undefined
  readonly output: unknown
  readonly isError: boolean
  readonly exitCode?: number | undefined
  /** Returns the plan that the call has made. */
  readonly todos?: ((toolName: string, input: JsonObject) => readonly Todo[] | undefined) | undefined
  /** Returns the changes to files, by the name and the input of the call. */
  readonly changes?: ((toolName: string, input: JsonObject) => readonly FileChange[] | undefined) | undefined
  /** The agents of the call, as the result tells them. Without it, the agents have ended. */
  readonly agents?: AgentsOfResult | undefined
}

/** The agents that a result names, in the order of the call, or the ends that it reports. */
export interface AgentsOfResult {
  /** The agents work on. */
  readonly isLaunch: boolean
  readonly ids?: readonly string[] | undefined
  readonly ends?: readonly AgentEnd[] | undefined
}

export interface AgentEnd {
  readonly isError: boolean
  readonly output?: string | undefined
  /** The prompt of the agent, or its beginning. Without it, the order of the agents decides. */
  readonly prompt?: string | undefined
}

/** A note of the program that no model reads. */
interface NoteStep extends Timed {
  readonly type: 'note'
  readonly id?: string | undefined
  readonly subtype: string
  readonly message: string
}

/** The turn has failed, a person has stopped it, or the program says that it is over. */
interface StopStep extends Timed {
  readonly type: 'stop'
  readonly id?: string | undefined
  readonly outcome: 'failed' | 'interrupted' | 'finished'
  readonly message: string
}

interface CompactionStep extends Timed {
  readonly type: 'compaction'
  readonly id?: string | undefined
  readonly summary?: string | undefined
}

/** Agents in the background have ended: the one with the id, those of a call that were launched, or all of them. */
interface AgentEndStep extends Timed {
  readonly type: 'agents'
  readonly agentId?: string | undefined
  readonly ends: readonly AgentEnd[] | 'stopped'
}

/** The notes of each wire whose files hold whole messages. */
export const STEP_NOTES = {
  /** The last message. A mark without an id of its own is behind it. */
  last: 'string',
  renamedCalls: RENAMED_CALLS,
  /** The lines of agents that no call of a known conversation has started so far. */
  waiting: { mapOf: { bufferOf: 'JSON object' } },
  /** The first words to such an agent. They show its call. */
  firstPrompts: { mapOf: 'string' },
} as const

type StepNotes = NotesOf<typeof STEP_NOTES>

/** Declares the notes of such a wire that has no others. */
export function stepNotes(source: string): NotesDeclaration<StepNotes> {
  return declareNotes({ source, version: 1 }, STEP_NOTES)
}

/** The translation of lines that hold whole messages. */
export type StepContext = TranslationContext<StepNotes>
