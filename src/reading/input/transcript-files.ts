import { omitUndefined } from '../../core/json/fields.ts'
import { isObject, type JsonObject } from '../../core/json/values.ts'
import type { CombinedTranscript } from './combined.ts'
import type { Content } from './entries.ts'
import { fileValue } from './jsonl.ts'

/** The files of one transcript of a session. */
export interface TranscriptFiles {
  /** The agent's own id. Absent for main. */
  readonly id?: string
  /** The file with the messages, to which the program may append. */
  readonly path: string
  /** The earlier files from which the transcript goes on, the oldest first. */
  readonly bases?: readonly TranscriptBase[]
  /** The file with facts about the agent. */
  readonly factsPath?: string
  /** Facts about the agent that its path or another file states. Those of its own file win. */
  readonly facts?: JsonObject
  /** The content of the file, if it had to be read to find the session. */
  readonly content?: Content
}

/** A file whose first messages belong to a transcript. */
export interface TranscriptBase {
  readonly path: string
  includes(message: unknown): boolean
}

/** Reads files and the names in folders for a format, one at a time. A format itself has no access to files. */
export interface FileReader {
  /**
   * Returns the values of the file's lines, one by one. It reads the file only as far as the caller asks for values.
   * A line that is not JSON gives undefined.
   */
  values(path: string): Iterable<unknown>
  /** Returns the value of the whole file, or undefined if the file is not JSON. */
  value(path: string): unknown
  /** Returns the sorted names in a folder. A folder that does not exist has none. */
  names(path: string): readonly string[]
  /** Marks one pass over many sessions: what a format reads of a file for one of them, it may keep for the next one. */
  readonly pass?: object | undefined
}

/** Bundles the texts of a session's files. `find` returns the transcripts of the session. */
export function combineFiles(
  files: Readonly<Record<string, string>>,
  find: (paths: readonly string[], reader: FileReader) => readonly [TranscriptFiles, ...TranscriptFiles[]],
): CombinedTranscript {
  const texts = new Map(Object.entries(files))
  for (const [path, text] of texts)
    if (typeof text !== 'string') throw new TypeError(`pass the text of each file: ${path} has none`)
  const textOf = (path: string) => texts.get(path) ?? ''
  const [main, ...agents] = find([...texts.keys()], {
    values: (path) => valuesOf(textOf(path)),
    value: (path) => fileValue(textOf(path)),
    names: (path) => namesIn(path, [...texts.keys()]),
  })
  const whole = ({ path, bases = [], content }: TranscriptFiles) => {
    if (content && 'lines' in content) return content.lines
    const isBroken = content && content.value === undefined
    const text = isBroken ? textOf(path).replaceAll('\n', ' ') : textOf(path)
    return [...bases.map((base) => includedLines(base, textOf(base.path))), text].join('\n')
  }
  return {
    main: whole(main),
    subagents: agents.map((agent) =>
      omitUndefined({
        id: agent.id ?? '',
        transcript: whole(agent),
        meta: metaText(agent, textOf),
      }),
    ),
  }
}

/** Returns the sorted names of the files and folders in a folder. */
function namesIn(folder: string, paths: readonly string[]): readonly string[] {
  const start = `${folder.replaceAll('\\', '/').replace(/\/$/, '')}/`
  const inside = paths.map((path) => path.replaceAll('\\', '/')).filter((path) => path.startsWith(start))
  return [...new Set(inside.map((path) => path.slice(start.length).split('/', 1)[0] ?? ''))].sort()
}

/** Returns the text of the file with facts about the agent, and in it the facts that stand elsewhere. */
function metaText(
  { factsPath, facts }: TranscriptFiles,
  textOf: (path: string) => string,
): string | undefined {
  const own = factsPath === undefined ? undefined : textOf(factsPath)
  if (!facts) return own
  const all = withFacts(own === undefined ? {} : fileValue(own), facts)
  return isObject(all) ? JSON.stringify(all) : own
}

/** Adds facts about an agent to those of its own file. The value of a broken file stays. */
export function withFacts(own: unknown, facts: JsonObject | undefined): unknown {
  return facts && isObject(own) ? { ...facts, ...own } : own
}

/** Returns the values of the lines that are not blank. A line that is not JSON gives undefined. */
function* valuesOf(text: string): Generator<unknown, void> {
  for (const [line] of text.matchAll(/\S[^\n]*/g)) yield fileValue(line)
}

/** A file of facts is one value on many lines. */
function includedLines({ includes }: TranscriptBase, text: string): string {
  const whole = fileValue(text)
  if (whole !== undefined) return includes(whole) ? JSON.stringify(whole) : ''
  const lines = text.split('\n').filter((line) => includes(fileValue(line)))
  return lines.join('\n')
}
