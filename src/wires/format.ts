import type { JsonObject } from '../json/values.ts'
import type { CombinedTranscript } from '../session/input/combined.ts'
import type { Entry } from '../session/input/entries.ts'
import type { Source } from '../session/source.ts'

/** How the messages of a session arrive, and how to read them. */
export interface Format<Name extends string = string> {
  /** The one name of the wire: the `architecture` argument, `--format` and the docs. */
  readonly name: Name
  /** The inputs that the format reads, for the command line's help. */
  readonly inputs: string
  /** Whether the value is a whole session by itself, and not one message of many. */
  isDocument(value: unknown): boolean
  /** Whether the value is a message of the program. */
  isMessage(value: unknown): boolean
  /** Returns the messages of an input, in the order in which the source reads them. */
  entries(raw: string | CombinedTranscript): Iterable<Entry>
  readonly source: Source<unknown>
  readonly files: SessionFiles
  readonly storage: SessionStorage
}

/** How a program stores a session as files. Paths use the separator of the system. */
interface SessionFiles {
  /** Whether a file with that path can hold a session. */
  isSession(path: string): boolean
  /** Whether a file with that path can belong to a session. */
  isPart(path: string): boolean
  /** The places where a session's file has the files of its subagents; undefined if it has none. */
  agentFiles(sessionPath: string): AgentFilePlaces | undefined
  /**
   * Returns the paths of the files that belong to the one session among the files, the session's own file first. If `sessionPath` names
   * that file, the others may belong to other sessions. It reads no more of a file than it needs for that. Throws a `TranscriptError` if
   * there are several sessions.
   */
  select(paths: readonly string[], reader: FileReader, sessionPath?: string): readonly string[]
  /** Combines a session's files, by path, into one transcript. Throws a `TranscriptError`. */
  combine(files: Readonly<Record<string, string>>): CombinedTranscript
  /**
   * Returns the part of a session that a file holds. A reader of growing files joins the parts as `combine` and `entries` do.
   * `sessionPath` is the session's own file, if it is known: the names of some programs' files do not show it.
   */
  part(path: string, sessionPath?: string): FilePart
  /** Returns the time that orders the messages of several files. Empty if the message has none, or if one file holds the session. */
  timeOf(entry: Entry): string
}

/** The part of a session that one of its files holds. */
export interface FilePart {
  /** The agent whose messages or facts the file holds. Absent for the session's own file. */
  readonly agentId?: string
  /** Whether the agent works for the program itself, and is no part of the session. */
  readonly isProgramAgent?: boolean
  /** Whether the file is one value with facts about the agent. All other files have one message per line. */
  readonly isFacts: boolean
  /** Adds the facts that only the file's name holds. Facts about an agent are line 0. */
  complete(entry: Entry): Entry
}

/** The places where a program keeps all its sessions. */
export interface SessionStorage {
  /** Returns the folders with session files. */
  folders(environment: Environment): readonly StorageFolder[]
  /** Returns the facts about its session that a value of a file states, and nothing for other values. */
  facts(value: unknown): StoredFacts
  /** Combines a session that the program keeps as one file per message. Undefined for the path of another file. */
  combineStored?(path: string, reader: FolderReader): StoredSession | undefined
  /** The database in which the program keeps its sessions. */
  readonly database?: SessionDatabase
}

/** A session of many files, and the files and folders that it was read from. */
export interface StoredSession {
  readonly transcript: CombinedTranscript
  readonly sources: readonly string[]
}

/** How a program keeps its sessions in an SQLite database. A format itself has no access to databases. */
export interface SessionDatabase {
  /** Returns the paths of the databases. */
  paths(environment: Environment): readonly string[]
  /** Whether a file with that path can be such a database. */
  isDatabase(path: string): boolean
  /** Returns the sessions, newest first. The first prompt of a session needs a query of its own. */
  sessions(query: Query): readonly StoredRow[]
  firstPrompt(sessionId: string, query: Query): string | undefined
  /** Combines a session with its subagents. Undefined if the database does not have it. */
  combine(sessionId: string, query: Query): CombinedTranscript | undefined
}

/** Runs one SQL statement with parameters, and returns the rows. */
export type Query = (sql: string, ...parameters: readonly string[]) => readonly JsonObject[]

/** A session in a database. */
export interface StoredRow extends StoredFacts {
  readonly id: string
  readonly model?: string
  readonly tokens?: StoredTokens
  /** The number of subagents at any depth. */
  readonly agents?: number
}

/** The tokens of a session. */
export interface StoredTokens {
  readonly inputTokens?: number
  readonly outputTokens?: number
  readonly cacheReadTokens?: number
  readonly cacheWriteTokens?: number
}

/** The facts about the machine that decide where a program keeps its sessions. */
export interface Environment {
  /** The person's home folder. */
  readonly home: string
  /** The environment variables. */
  readonly variables: Readonly<Record<string, string | undefined>>
}

/** A folder with session files. */
interface StorageFolder {
  readonly path: string
  /** The number of folders between this one and a session file. */
  readonly depth: number
}

/** The facts that a session's file states about the whole session. Times are ISO 8601 in UTC. */
export interface StoredFacts {
  readonly id?: string
  readonly title?: string
  readonly cwd?: string
  readonly startedAt?: string
  readonly updatedAt?: string
  readonly costUsd?: number
  /** The session is a subagent's. */
  readonly isSubagent?: boolean
}

/** Reads files for a format, one at a time. A format itself has no access to files. */
export interface FileReader {
  /**
   * Returns the values of the lines at the file's beginning, one by one. It reads the file only as far as the caller asks for values.
   * A line that is not JSON gives undefined.
   */
  values(path: string): Iterable<unknown>
  /** Returns the value of the whole file, or undefined if the file is not JSON. */
  value(path: string): unknown
}

/** Reads files and the names in folders. */
export interface FolderReader extends FileReader {
  /** Returns the sorted names in a folder. A folder that does not exist has none. */
  names(path: string): readonly string[]
}

/** The places of the files of a session's subagents. */
export interface AgentFilePlaces {
  /** A folder for this session alone, with any depth. Absent if all files are beside the session's own. */
  readonly folder?: string
  /** Whether a file beside the session's own may be a subagent's. */
  isBeside(name: string): boolean
}
