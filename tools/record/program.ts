import type { FactForm } from '../../test/facts/facts.ts'
import type { Run, Scenario, ScriptedCall } from './script.ts'
import type { ModelRequest, Tokens, WireCall } from './server/dialect.ts'

/** The folders of one session. */
export interface Place {
  readonly home: string
  /** The folder in which the program works. */
  readonly work: string
  /** Where the program is installed. */
  readonly installed: string
  /** The program `node` that runs it. */
  readonly node: string
}

/** A call without its id. */
export type ProgramCall = Omit<WireCall, 'id'>

/** What a request offers the model. */
export interface Offer extends Pick<Place, 'work'> {
  /** The names of the tools. */
  readonly tools: readonly string[]
}

/** How a program shows its tools to the model. */
export interface ProgramTools {
  readonly call: (call: ScriptedCall, offer: Offer) => ProgramCall
  /** Returns the call with which an agent reports. Without it, an agent reports with its last text. */
  readonly report?: (text: string) => ProgramCall
  /** Returns the call that waits for agents which have not reported yet. A program without it reports by itself. */
  readonly wait?: (request: ModelRequest, reports: readonly string[]) => ProgramCall | undefined
}

/** What a process of a session gets. */
export interface Start extends Place {
  readonly run: Run
  /** Whether an earlier process began the session. */
  readonly resumes: boolean
  readonly scenario: Scenario
  /** The address of the model. */
  readonly url: string
}

/** A program that the recorder can run. */
export interface RecordedProgram {
  /** Its name on the command line. */
  readonly name: string
  /** Its name in the facts. */
  readonly factName: string
  readonly packages: readonly [name: string, ...others: readonly string[]]
  /** Whether it needs a newer Node than this one. */
  readonly needsNode22?: true
  readonly tools: ProgramTools
  readonly compactsBy: 'command' | 'limit'
  /** The type of an agent that the calls name. */
  readonly agentType?: string
  readonly command: (start: Start) => readonly string[]
  /** What the process reads on its standard input. */
  readonly input?: (start: Start) => string | undefined
  /** Returns the line for the standard input that stops an agent, from the output so far. The input stays open until main's last reply. */
  readonly stopsAgent?: (output: string, key: string) => string
  readonly environment: (start: Start) => Readonly<Record<string, string>>
  /** The files that the home folder needs, by path. */
  readonly homeFiles?: (session: SessionStart) => Readonly<Record<string, string>>
  /** Runs the processes of a session in another way than one after the other with their output as the stream. */
  readonly record?: (session: SessionStart) => Promise<SessionRecord>
  /** The folders and files to keep, in the home folder and in the recording. */
  readonly stores: readonly (readonly [from: string, to: string])[]
  /** How a form of the program differs from the facts. */
  readonly forms: (scenario: Scenario) => Readonly<Record<string, FactForm>>
  /** How the program counts the tokens of the server. */
  readonly tokens?: (tokens: Tokens) => Tokens
  /** Whether a command with an exit code has a result and no error. */
  readonly exitsAreResults?: true
  /** Whether the call of an agent that failed has a result and no error. */
  readonly failedAgentsAreResults?: true
  /** Whether a text stays whose connection was cut, and whose request comes again. */
  readonly keepsCutTexts?: true
  /** What a session shows of a reply that the person interrupted, if it shows tokens. */
  readonly interruptedTokens?: (tokens: Tokens) => Tokens
  /** Whether a session shows the tokens of a summary. */
  readonly showsSummaryTokens?: true
  /** Whether the files of a fork have the tokens of what it copies. */
  readonly forksHaveTokens?: true
  /** Why the program cannot do a scenario. */
  readonly cannot: Readonly<Record<string, string>>
}

/** What a program's own way to run a session gets. */
export interface SessionStart extends Omit<Start, 'run' | 'resumes'> {
  /** Resolves when the model falls silent in the middle of an answer. */
  readonly silence: Promise<void>
}

/** The streams of a session, by their path in the recording, and how its processes ended. */
export interface SessionRecord {
  readonly files: Readonly<Record<string, string>>
  readonly notes: string
}
