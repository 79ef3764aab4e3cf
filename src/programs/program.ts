import type { FirstMessages } from '../core/identity/first-response.ts'
/**
 * The name of a wire: how the messages of a session arrive. `claude-sdk` is the wire of Claude Code and the Claude
 * Agent SDK, stream and files alike. `opencode` is that of OpenCode: the events of its bus, its exports and `run
 * --format json`. `codex` is that of Codex: its rollouts, `exec --json` and the app-server. `pi` is that of Pi:
 * `--mode json`, `--mode rpc` and its files. `gemini` is that of Gemini CLI: its stream and its chats. `kimi` is that
 * of Kimi Code: its files, the events of its server and `stream-json`. `qwen` is that of Qwen Code, which looks like
 * that of Claude Code. `cline` is that of Cline CLI: `--json` and its files. `acp` brings any agent that speaks the
 * Agent Client Protocol, and `ag-ui` any server that speaks AG-UI. `copilot` is that of GitHub Copilot CLI:
 * `events.jsonl`, `-p --output-format json` and the SDK's connection. `kiro`, `vibe`, `antigravity`, `hermes` and
 * `aider` are those of the files of Kiro CLI, Mistral Vibe, Antigravity, Hermes Agent and Aider. `droid` is that of
 * Factory Droid: its files and `exec -o stream-json`. `continue` is that of Continue: its files and `cn -p --format
 * json`.
 */
export type Architecture =
  | 'claude-sdk'
  | 'opencode'
  | 'codex'
  | 'pi'
  | 'gemini'
  | 'kimi'
  | 'qwen'
  | 'acp'
  | 'ag-ui'
  | 'copilot'
  | 'cline'
  | StepWire

/** The name of a wire of files that hold whole messages, in order (`wires/kit/steps`). */
export type StepWire = 'kiro' | 'vibe' | 'antigravity' | 'hermes' | 'aider' | 'droid' | 'continue'

/** A name by which a caller may ask for a wire: `claude-code` is the one of `claude-sdk`. */
export type ArchitectureName = Architecture | 'claude-code'

/**
 * A program, apart from the wire that brings its messages: the meaning of its names, its tools and its files. It is small
 * data without code that reads messages, because a bundle with claims or hashes alone contains every program.
 */
export interface Program {
  /** The names of the program in `session.program`. The first is the one that agentfold writes. */
  readonly names: readonly [string, ...string[]]
  /** The wire of the program's own stream and files. ACP and AG-UI may carry the program too. */
  readonly wire: Architecture
  /** The program that speaks ACP for this one. */
  readonly adapter?: ProgramAdapter
  readonly tools: ProgramTools
  readonly fields: InputFields
  readonly firstMessages: FirstMessages
  /** The types of events that no other program sends on this wire. They name the program, and add nothing to a conversation. */
  readonly eventTypes?: readonly string[]
  /** The command that resumes a session, before the session's id. Absent if the program takes no id. */
  readonly resumeCommand?: readonly string[]
}

/** The places where a program keeps all its sessions. Paths use `/`. */
export interface ProgramStorage {
  /** Returns the folders with session files. */
  folders(environment: Environment): readonly StorageFolder[]
  /** Returns the files with sessions that are in no such folder. Some do not exist. */
  files?(environment: Environment): readonly string[]
  /** Nobody but the person can read the files, whatever the permissions of their folder. */
  readonly isPrivate?: true
  readonly database?: {
    /** Returns the folder with the database. */
    folder(environment: Environment): string
    /** The name of its file. It names the program of a database in any folder. */
    readonly name: string
    /** The environment variable with another path, or with another name in the folder. */
    readonly variable: string
  }
}

/** The facts that a session's file states about the whole session. Times are ISO 8601 in UTC. */
export interface StoredFacts {
  readonly id?: string
  readonly title?: string
  readonly cwd?: string
  readonly startedAt?: string
  readonly updatedAt?: string
  readonly costUsd?: number
  /** The number of subagents at any depth. */
  readonly agents?: number
  /** The session is a subagent's. */
  readonly isSubagent?: boolean
}

/** A folder with session files. */
interface StorageFolder {
  readonly path: string
  /** The number of folders between this one and a session file. */
  readonly depth: number
}

/** The facts about the machine that decide where a program keeps its sessions. */
export interface Environment {
  /** The person's home folder. */
  readonly home: string
  /** The environment variables. */
  readonly variables: Readonly<Record<string, string | undefined>>
}

/** A program that speaks a protocol for another program. */
interface ProgramAdapter {
  readonly name: string
  /** The beginnings of its own methods, and of its own keys in `_meta`. They name a session whose updates come without the connection. */
  readonly metaKeys: readonly string[]
}

/** The names of a program's tools, by their purpose. */
export interface ProgramTools {
  /** Run a command of the shell, or read the output of one. */
  readonly command?: readonly string[]
  /** Read a file or a folder. */
  readonly read?: readonly string[]
  /** Write, change or remove files. */
  readonly edit?: readonly string[]
  /** Search files, or for tools. */
  readonly search?: readonly string[]
  /** Fetch a page, or search the web. */
  readonly web?: readonly string[]
  /** Write or read the plan. */
  readonly todo?: readonly string[]
  /** Enter or leave the mode for plans. */
  readonly planMode?: readonly string[]
  /** Ask the person. */
  readonly question?: readonly string[]
  /** Start an agent. The first is the current name. */
  readonly agent: readonly [string, ...string[]]
  /** Talk to an agent, wait for one, or stop one. */
  readonly agentControl?: readonly string[]
}

/** The names of fields in the inputs of a program's tools. */
interface InputFields {
  /** Hold the command of a shell. */
  readonly command: readonly string[]
  /** Hold the path of a file or a folder. */
  readonly path: readonly string[]
  /** Holds the prompt for an agent. */
  readonly prompt: string
  /** Holds the type of an agent. */
  readonly agentType: string
  /** Holds what the agent is to do, in a few words. */
  readonly description: string
  /** Holds the id of the agent that the call resumes. Absent if each such call starts another agent. */
  readonly resumes?: string
}
