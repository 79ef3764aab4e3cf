import { dirname, join, normalize } from 'node:path'
import type { Architecture } from '../../programs/program.ts'
import type { FileReader, TranscriptFiles } from '../../reading/input/transcript-files.ts'
import { allFormats, formatOf } from '../../wires/all.ts'
import type { AgentFilePlaces, Format } from '../../wires/format.ts'
import { fileReader } from '../files/file-reader.ts'
import { distinctFiles, isInside, listFiles, resolveLink } from '../files/list-files.ts'
import { statsOf } from '../files/read-piece.ts'
import { type FindOptions, type FoundSession, findInFolder } from './find-in-folder.ts'

/** Returns the files of the session at the path. */
export async function findSession(path: string, options: FindOptions = {}): Promise<FoundSession> {
  const stats = statsOf(path)
  if (stats.isDirectory()) return findInFolder(path, options)
  const file = normalize(path)
  return (await sessionWithAgents(file, options)) ?? { transcripts: [{ path: file }] }
}

/** Returns a session's file with the files of its subagents; undefined if it has none. */
async function sessionWithAgents(
  path: string,
  { architecture, signal, reader = fileReader }: FindOptions,
): Promise<FoundSession | undefined> {
  const formats = architecture === undefined ? allFormats() : [formatOf(architecture)]
  for (const format of formats) {
    const places = format.files.isSession(path) ? format.files.agentFiles(path, reader) : undefined
    const candidates = places ? await agentFilesAt(path, places, { format, reader, signal }) : []
    if (candidates.length === 0) continue
    const transcripts = format.files.transcripts([path, ...candidates], reader, path)
    if (transcripts.flatMap(pathsOf).length > 1) return { format, transcripts }
  }
  return undefined
}

interface AgentSearch {
  readonly format: Format<Architecture>
  readonly reader: FileReader
  readonly signal: AbortSignal | undefined
}

/** Returns the files at the places of a session's agents. Those beside the session may belong to another one. */
async function agentFilesAt(
  sessionPath: string,
  { folder, furtherFolders, namedFiles, isBeside, leadsTo }: AgentFilePlaces,
  { format, reader, signal }: AgentSearch,
): Promise<readonly string[]> {
  const isAgents = (path: string) => format.files.isPart(path) && !format.files.isSession(path)
  const isOwn = folder !== undefined && (await isFolderOf(sessionPath, folder))
  const own = isOwn ? await listFiles(folder, isAgents, { signal }) : []
  const further = furtherFolders?.(reader).filter((each) => reader.names(each).length > 0) ?? []
  const inFolders = await Promise.all(further.map((each) => listFiles(each, isAgents, { signal })))
  const inFolder = [...own, ...inFolders.flat()]
  const names = reader.names(dirname(sessionPath)).filter(isBeside)
  const beside = names.map((name) => join(dirname(sessionPath), name))
  const linked = inFolder.flatMap((path) => leadsTo?.(path) ?? [])
  const named = namedFiles?.(reader) ?? []
  const others = [...inFolder, ...linked, ...named, ...beside].filter((path) => path !== sessionPath)
  if (others.length === 0) return []
  const files = await distinctFiles([sessionPath, ...others])
  return files.filter((path) => path !== sessionPath)
}

/** Whether the folder holds only files of that session. A link to a folder around the session does not. */
async function isFolderOf(sessionPath: string, folder: string): Promise<boolean> {
  const linked = await resolveLink(folder)
  if (!linked?.isFolder) return false
  const session = await resolveLink(sessionPath)
  return session !== undefined && !isInside(session.realPath, linked.realPath)
}

/** Returns the paths of all files of a transcript. */
export function pathsOf({ path, bases = [], factsPath }: TranscriptFiles): readonly string[] {
  return [path, ...bases.map((base) => base.path), ...(factsPath === undefined ? [] : [factsPath])]
}
