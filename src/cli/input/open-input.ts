import { readdir, stat } from 'node:fs/promises'
import { dirname, join, normalize } from 'node:path'
import { type Architecture, allFormats, formatOf } from '../../formats/all.ts'
import type { CombinedTranscript } from '../../formats/combined.ts'
import type { AgentFilePlaces, Format } from '../../formats/format.ts'
import { fileReader, readChunks, readFiles } from './file-reader.ts'
import { distinctFiles, isInside, listFiles, resolveLink } from './list-files.ts'
import { InputError, wrapReadError } from './read-error.ts'

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
  const paths = await listFiles(path, isPartOfAnyFormat)
  const format =
    architecture === undefined
      ? allFormats().find(({ files }) => paths.some((each) => files.isSession(each)))
      : formatOf(architecture)
  if (!format || paths.length === 0)
    throw new InputError('no session in the folder: pass a recorded stream as a file')
  return filesInput(format, format.files.select(paths.filter(format.files.isPart), fileReader))
}

function isPartOfAnyFormat(path: string): boolean {
  return allFormats().some(({ files }) => files.isPart(path))
}

/** Returns a session's file with the files of its subagents; undefined if it has none. */
async function sessionWithAgents(
  path: string,
  architecture: Architecture | undefined,
): Promise<Input | undefined> {
  const formats = architecture === undefined ? allFormats() : [formatOf(architecture)]
  for (const format of formats) {
    const places = format.files.isSession(path) ? format.files.agentFiles(path) : undefined
    const candidates = places ? await agentFilesAt(path, places, format) : []
    if (candidates.length === 0) continue
    const selected = format.files.select([path, ...candidates], fileReader)
    if (selected.length > 1) return filesInput(format, selected)
  }
  return undefined
}

async function filesInput(
  { program, files }: Format<Architecture>,
  paths: readonly string[],
): Promise<Input> {
  return { kind: 'files', transcript: files.combine(await readFiles(paths)), architecture: program.name }
}

/** Returns the files at the places of a session's agents. Those beside the session may belong to another one. */
async function agentFilesAt(
  sessionPath: string,
  { folder, isBeside }: AgentFilePlaces,
  format: Format<Architecture>,
): Promise<readonly string[]> {
  const isAgents = (path: string) => format.files.isPart(path) && !format.files.isSession(path)
  const inFolder = (await isFolderOf(sessionPath, folder)) ? await listFiles(folder, isAgents) : []
  const names = (await wrapReadError(readdir(dirname(sessionPath)))).filter(isBeside)
  const beside = names.map((name) => join(dirname(sessionPath), name))
  const files = await distinctFiles([sessionPath, ...inFolder, ...beside])
  return files.filter((path) => path !== sessionPath)
}

/** Whether the folder holds only files of that session. A link to a folder around the session does not. */
async function isFolderOf(sessionPath: string, folder: string): Promise<boolean> {
  const [session, target] = [await resolveLink(sessionPath), await resolveLink(folder)]
  return target?.isFolder === true && session !== undefined && !isInside(session.realPath, target.realPath)
}
