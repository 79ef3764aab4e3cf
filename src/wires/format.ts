import type { JsonObject } from '../core/json/values.ts'
import type { StoredFacts } from '../programs/program.ts'
import type { FileReader, TranscriptFiles } from '../reading/input/transcript-files.ts'
import type { Transcript, TranscriptRules } from '../reading/input/transcripts.ts'

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
  /**
   * Whether the value may be a message of the program, although nothing in it proves that, and whether it is part of
   * a conversation. A format without this function reads no input without a proof.
   */
  fits?(value: unknown): 'conversation' | 'other' | undefined
  /** Whether the value shows another program that writes lines of the same shape. */
  isForeign?(value: unknown): boolean
  /** How the transcripts of a session become one stream of entries. */
  readonly transcripts: TranscriptRules
  readonly files: SessionFiles
  readonly storage: SessionStorage
}

/** How a program stores a session as files. Paths use the separator of the system. */
interface SessionFiles {
  /** Whether a file with that path can hold a session. */
  isSession(path: string): boolean
  /** Whether a file with that path can belong to a session. */
  isPart(path: string): boolean
  /** The session's own file has all its agents. */
  readonly hasAllAgents?: true
  /** The places where a session's file has the files of its subagents; undefined if it has none. */
  agentFiles(sessionPath: string, reader: FileReader): AgentFilePlaces | undefined
  /**
   * Returns the transcripts of the one session among the files, main's first. If `sessionPath` names the session's
   * own file, the other files may belong to other sessions. It reads no more of a file than it needs for that. Throws
   * a `TranscriptError` if there is no session, or if there are several.
   */
  transcripts(
    paths: readonly string[],
    reader: FileReader,
    sessionPath?: string,
  ): readonly [TranscriptFiles, ...TranscriptFiles[]]
}

/** How a wire's programs keep sessions. A program says where (`src/programs/program.ts`). */
export interface SessionStorage {
  /** Returns the facts about its session that a value of a file states, and nothing for other values. */
  facts(value: unknown): StoredFacts
  /** Whether a subagent's file is a session of its own, because that of its parent is not beside it. The default is no. */
  isAlone?(path: string, reader: FileReader): boolean
  /** Returns the path of the file beside the session's own with facts about the session. */
  factsPath?(sessionPath: string): string | undefined
  /** Reads a session that the program keeps as one file per message. Undefined for the path of another file. */
  readStored?(path: string, reader: FileReader): StoredSession | undefined
  /** Returns the ids of the sessions in a file that has several. `<path>#<id>` is the path of one for `readStored`. */
  sessionsIn?(path: string, reader: FileReader): readonly string[] | undefined
  /** Returns the id of the session that a file's path names, if no line does. */
  idOf?(sessionPath: string): string | undefined
  readonly database?: SessionDatabase
  /** Each reply states its own cost, so the last lines do not show the cost of the session. */
  readonly hasCostOfEachReply?: true
  /** A process writes a file before its first prompt. Without a block it is no session. */
  readonly hasFilesWithoutPrompt?: true
}

/** A session of many files, and the files and folders that it was read from. */
export interface StoredSession {
  readonly transcripts: readonly [Transcript, ...Transcript[]]
  readonly sources: readonly string[]
}

/** How a program keeps its sessions in an SQLite database. A format itself has no access to databases. */
export interface SessionDatabase {
  /** Whether a file with that path can be such a database. */
  isDatabase(path: string): boolean
  /** Returns the sessions, newest first. The first prompt of a session needs a query of its own. */
  sessions(query: Query): readonly StoredRow[]
  firstPrompt(sessionId: string, query: Query): string | undefined
  /** Reads a session with its subagents. Undefined if the database does not have it. The lines of a session may not name its program. */
  read(
    sessionId: string,
    query: Query,
    program: string | undefined,
  ): readonly [Transcript, ...Transcript[]] | undefined
}

/** Runs one SQL statement with parameters, and returns the rows. */
export type Query = (sql: string, ...parameters: readonly string[]) => readonly JsonObject[]

/** A session in a database. */
export interface StoredRow extends StoredFacts {
  readonly id: string
  readonly model?: string
  readonly tokens?: StoredTokens
}

/** The tokens of a session. */
export interface StoredTokens {
  readonly inputTokens?: number
  readonly outputTokens?: number
  readonly cacheReadTokens?: number
  readonly cacheWriteTokens?: number
}

/** The places of the files of a session's subagents. */
export interface AgentFilePlaces {
  /** A folder for this session alone, with any depth. Absent if all files are beside the session's own. */
  readonly folder?: string
  /** Returns further folders that may hold files of its subagents, or facts about them. Some do not exist. */
  furtherFolders?(reader: FileReader): readonly string[]
  /** Returns the paths of the files that the session's own file, or one of its agents', names. Some are those of other sessions too. */
  namedFiles?(reader: FileReader): readonly string[]
  /** Whether a file beside the session's own may be a subagent's. */
  isBeside(name: string): boolean
  /** Returns the subagent's file that a file of the folder leads to. */
  leadsTo?(path: string): string | undefined
}
