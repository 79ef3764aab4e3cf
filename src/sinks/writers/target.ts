import type { PlanTarget } from '../plan/context.ts'
import type { LossCounter } from '../plan/losses.ts'
import type {
  CallItem,
  IdMaker,
  PromptEntry,
  SessionPlan,
  StepEntry,
  SummaryEntry,
  ThreadPlan,
} from '../plan/plan.ts'

/** The session that is written, and what is known of it so far. */
export interface WriteContext extends Omit<SessionPlan, 'thread'> {
  readonly ids: IdMaker
  readonly losses: LossCounter
  /** The model that the caller wants to go on with. */
  readonly chosenModel: string | undefined
  /** The texts by their path. Main's file is the last one. */
  readonly files: Map<string, string>
}

/** The commands that resume a session, in order and by their words. */
type Commands = readonly (readonly string[])[]

/** A program whose sessions can be written. */
export interface Target extends PlanTarget {
  /** The program has a database, and imports the file. */
  readonly isImported?: true
  /** The program goes on with the model that the session or the command names. */
  readonly takesModel?: true
  /** Adds the files of main and of its agents, and returns the commands that resume the session. */
  write(thread: ThreadPlan, context: WriteContext): Commands
}

/** Writes the entries of one conversation, in their order. */
interface EntryWriter {
  addPrompt(entry: PromptEntry): void
  addSummary(entry: SummaryEntry): void
  addStep(entry: StepEntry): void
}

/** Gives each entry of a conversation to its writer. */
export function writeEntries({ entries }: ThreadPlan, writer: EntryWriter): void {
  for (const entry of entries)
    if (entry.kind === 'prompt') writer.addPrompt(entry)
    else if (entry.kind === 'summary') writer.addSummary(entry)
    else writer.addStep(entry)
}

/** Returns the values as lines of JSON. */
export function jsonLines(values: readonly unknown[]): string {
  return values.map((value) => `${jsonText(value)}\n`).join('')
}

/** Returns a value as JSON. Programs and providers refuse a text with half of a pair of surrogates, so it has `\ufffd` in that place. */
export function jsonText(value: unknown, indent?: number): string {
  // In the JSON of a value, an escaped surrogate is one without its other half.
  return JSON.stringify(value, null, indent).replace(LONE_SURROGATE, '$1\ufffd')
}

const LONE_SURROGATE = /(?<!\\)((?:\\\\)*)\\ud[89a-f][0-9a-f]{2}/g

/** Returns the id of a call, as most programs have it. */
export function callId({ id }: Pick<CallItem, 'id'>): string {
  return `call_${id}`
}

/**
 * Why a session cannot be written:
 * - `unknown-agent`: it has no agent with the id in `agent`
 * - `unknown-program`: the sessions of the program in `program` cannot be written
 * - `invalid-value`: the argument or the option at `path` is of another kind
 */
export type WriteErrorCode = 'unknown-agent' | 'unknown-program' | 'invalid-value'

/** A session cannot be written. */
export class WriteError extends RangeError {
  readonly code: WriteErrorCode
  /** The option, or the argument `session` or `options`. */
  readonly path: string

  constructor(code: WriteErrorCode, path: string, message: string) {
    super(message)
    this.name = 'WriteError'
    this.code = code
    this.path = path
  }
}

/** The session has no such agent. */
export class UnknownAgentError extends WriteError {
  constructor(agent: unknown) {
    const named = typeof agent === 'string' ? ` ${JSON.stringify(agent)}` : ' with that value as its id'
    super(
      'unknown-agent',
      'agent',
      `agent: the session has no agent${named}: pass the id of its call, or its own`,
    )
    this.name = 'UnknownAgentError'
  }
}
