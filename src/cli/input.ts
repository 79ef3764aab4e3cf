import { createReadStream, type Stats } from 'node:fs'
import { readdir, readFile, stat } from 'node:fs/promises'
import { dirname, join, normalize } from 'node:path'
import { type Architecture, allFormats, formatOf } from '../formats/all.ts'
import type { CombinedTranscript } from '../formats/combined.ts'
import type { AgentFilePlaces, Format } from '../formats/format.ts'

/** The command cannot read an input, or cannot print it. The message is one line for the user. */
export class InputError extends Error {}

/** An opened input: chunks of one text, or the files of a session. `size` is in bytes. */
export type Input =
  | { readonly kind: 'chunks'; readonly chunks: AsyncIterable<Uint8Array | string>; readonly size?: number }
  | { readonly kind: 'files'; readonly transcript: CombinedTranscript; readonly architecture: Architecture }

/** Opens standard input, a file, a session's file with the files of its subagents, or a folder with one session. */
export async function openInput(
  path: string,
  stdin: AsyncIterable<Uint8Array | string>,
  format?: Architecture,
): Promise<Input> {
  if (path === '-') return { kind: 'chunks', chunks: stdin }
  const stats = await wrapReadError(stat(path))
  if (stats.isDirectory()) return openFolder(path, format)
  const file = normalize(path)
  const session = await sessionWithAgents(file, format)
  if (session) return session
  return { kind: 'chunks', chunks: readChunks(file), size: stats.size }
}

/** Opens a folder with the files of one session. The first format that knows one of the file names reads it. */
async function openFolder(path: string, architecture: Architecture | undefined): Promise<Input> {
  const names = await transcriptFilesIn(path)
  const format =
    architecture === undefined
      ? allFormats().find(({ files }) => names.some((name) => files.isSession(name)))
      : formatOf(architecture)
  if (!format || names.length === 0)
    throw new InputError('no session in the folder: pass a recorded stream as a file')
  return filesInput(format, names.filter(format.files.isPart))
}

/** Returns a session's file with the files of its subagents; undefined if it has none. */
async function sessionWithAgents(
  path: string,
  architecture: Architecture | undefined,
): Promise<Input | undefined> {
  const formats = architecture === undefined ? allFormats() : [formatOf(architecture)]
  for (const format of formats) {
    const places = format.files.isSession(path) ? format.files.agentFiles(path) : undefined
    const agentFiles = places ? await agentFilesIn(path, places, format) : []
    if (agentFiles.length > 0) return filesInput(format, [path, ...agentFiles])
  }
  return undefined
}

async function filesInput({ traits, files }: Format<Architecture>, paths: readonly string[]): Promise<Input> {
  return { kind: 'files', transcript: files.combine(await readFiles(paths)), architecture: traits.name }
}

async function agentFilesIn(
  sessionPath: string,
  { folder, isBeside }: AgentFilePlaces,
  { files }: Format<Architecture>,
): Promise<readonly string[]> {
  const isFolder = (await statIfPresent(folder))?.isDirectory() === true
  const inFolder = isFolder ? (await transcriptFilesIn(folder)).filter(files.isPart) : []
  const beside = (await wrapReadError(readdir(dirname(sessionPath)))).filter(isBeside)
  return [...inFolder, ...(await onlyFiles(beside.map((name) => join(dirname(sessionPath), name))))]
}

async function* readChunks(path: string): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of createReadStream(path)) yield chunk
  } catch (error) {
    throw new InputError(reasonOf(error), { cause: error })
  }
}

/** Returns the files in a folder, at any depth, that can belong to a session of some format. */
async function transcriptFilesIn(folder: string): Promise<readonly string[]> {
  const names = await wrapReadError(readdir(folder, { recursive: true }))
  const wanted = names.filter((name) => allFormats().some(({ files }) => files.isPart(name)))
  return onlyFiles(wanted.sort().map((name) => join(folder, name)))
}

/** Skips folders, pipes and broken links that are named like a transcript, so that they do not hide the other files. */
async function onlyFiles(paths: readonly string[]): Promise<readonly string[]> {
  const stats = await Promise.all(paths.map(statIfPresent))
  return paths.filter((_, at) => stats[at]?.isFile())
}

/** Returns the file's stats; undefined if there is no file. */
async function statIfPresent(path: string): Promise<Stats | undefined> {
  try {
    return await stat(path)
  } catch (error) {
    if (isMissing(error)) return undefined
    throw new InputError(`${path}: ${reasonOf(error)}`, { cause: error })
  }
}

/** Reads one file after the other, because a session may have more files than the system can open at once. */
async function readFiles(paths: readonly string[]): Promise<Record<string, string>> {
  const texts: [path: string, text: string][] = []
  for (const path of paths) texts.push([path, await wrapReadError(readFile(path, 'utf8'), path)])
  return Object.fromEntries(texts)
}

/** Turns a read error into an `InputError` with the reason, and with the path if it is passed. */
export async function wrapReadError<Value>(result: Promise<Value>, path?: string): Promise<Value> {
  try {
    return await result
  } catch (error) {
    const reason = reasonOf(error)
    throw new InputError(path === undefined ? reason : `${path}: ${reason}`, { cause: error })
  }
}

function isMissing(error: unknown): boolean {
  const code = codeOf(error)
  return code === 'ENOENT' || code === 'ENOTDIR' || code === 'ELOOP'
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined
}

function reasonOf(error: unknown): string {
  const code = codeOf(error)
  if (code === 'ENOENT') return 'no such file or folder'
  if (code === 'EACCES') return 'no permission to read it'
  return overflowMessage(error) ?? (error instanceof Error ? error.message : String(error))
}

/** V8's messages for a stack overflow, and for a string or a list that is too long. A RangeError with another message is a bug of this library. */
const OVERFLOW = /call stack|string length|array length|maximum size/

/** Returns a message for an input that is too large for V8; undefined for other errors. */
export function overflowMessage(error: unknown): string | undefined {
  const isOverflow = error instanceof RangeError && OVERFLOW.test(error.message)
  return isOverflow ? 'too large or nested too deep to read' : undefined
}
