import { readdir, stat } from 'node:fs/promises'
import { dirname, join, normalize } from 'node:path'
import { type Architecture, allFormats, formatOf } from '../../formats/all.ts'
import { severalSessions, TranscriptError } from '../../formats/combined.ts'
import type { AgentFilePlaces, Format } from '../../formats/format.ts'
import { fileReader } from '../files/file-reader.ts'
import { distinctFiles, isInside, listFiles, type OnUnreadable, resolveLink } from '../files/list-files.ts'
import { wrapReadError } from '../files/read-error.ts'

/** The files of a session. Without a format, it is one file with any content. */
interface SessionPaths {
  readonly paths: readonly string[]
  readonly format?: Format<Architecture>
}

/** Returns the files of the session at the path. */
export async function findSession(
  path: string,
  architecture?: Architecture,
  onUnreadable?: OnUnreadable,
): Promise<SessionPaths> {
  const stats = await wrapReadError(stat(path))
  if (stats.isDirectory()) return findInFolder(path, architecture, onUnreadable)
  const file = normalize(path)
  return (await sessionWithAgents(file, architecture)) ?? { paths: [file] }
}

/** Finds the files of the one session in a folder. */
async function findInFolder(
  path: string,
  architecture: Architecture | undefined,
  onUnreadable: OnUnreadable | undefined,
): Promise<SessionPaths> {
  const paths = await listFiles(path, isPartOfAnyFormat, onUnreadable)
  const format = architecture === undefined ? formatOfFiles(paths) : formatOf(architecture)
  if (!format || paths.length === 0)
    throw new TranscriptError('no-session', 'no session in the folder: pass a recorded stream as a file')
  return { format, paths: format.files.select(paths.filter(format.files.isPart), fileReader) }
}

/**
 * Returns the format that recognizes the content of a file whose name it knows, or else the first one that knows a name. Throws a
 * `TranscriptError` if two formats recognize files.
 */
function formatOfFiles(paths: readonly string[]): Format<Architecture> | undefined {
  const formats = allFormats().filter(({ files }) => paths.some((path) => files.isSession(path)))
  if (formats.length < 2) return formats[0]
  const sessions = formats.flatMap((format) => {
    const path = paths.find((path) => format.files.isSession(path) && isContentOf(format, path))
    return path === undefined ? [] : [{ format, path }]
  })
  if (sessions.length > 1) throw severalSessions(sessions.map(({ path }) => path))
  return sessions[0]?.format ?? formats[0]
}

/** Whether one of the first lines is a message of the format. */
function isContentOf(format: Format<Architecture>, path: string): boolean {
  let lines = 0
  for (const value of fileReader.values(path)) {
    if (format.isMessage(value)) return true
    lines += 1
    if (lines === MAX_LINES) break
  }
  return false
}

/** Some versions begin a file with lines that show no format. */
const MAX_LINES = 20

function isPartOfAnyFormat(path: string): boolean {
  return allFormats().some(({ files }) => files.isPart(path))
}

/** Returns a session's file with the files of its subagents; undefined if it has none. */
async function sessionWithAgents(
  path: string,
  architecture: Architecture | undefined,
): Promise<SessionPaths | undefined> {
  const formats = architecture === undefined ? allFormats() : [formatOf(architecture)]
  for (const format of formats) {
    const places = format.files.isSession(path) ? format.files.agentFiles(path) : undefined
    const candidates = places ? await agentFilesAt(path, places, format) : []
    if (candidates.length === 0) continue
    const paths = format.files.select([path, ...candidates], fileReader, path)
    if (paths.length > 1) return { format, paths }
  }
  return undefined
}

/** Returns the files at the places of a session's agents. Those beside the session may belong to another one. */
async function agentFilesAt(
  sessionPath: string,
  { folder, isBeside }: AgentFilePlaces,
  format: Format<Architecture>,
): Promise<readonly string[]> {
  const isAgents = (path: string) => format.files.isPart(path) && !format.files.isSession(path)
  const isOwn = folder !== undefined && (await isFolderOf(sessionPath, folder))
  const inFolder = isOwn ? await listFiles(folder, isAgents) : []
  const names = (await wrapReadError(readdir(dirname(sessionPath)))).filter(isBeside).sort()
  const beside = names.map((name) => join(dirname(sessionPath), name))
  const files = await distinctFiles([sessionPath, ...inFolder, ...beside])
  return files.filter((path) => path !== sessionPath)
}

/** Whether the folder holds only files of that session. A link to a folder around the session does not. */
async function isFolderOf(sessionPath: string, folder: string): Promise<boolean> {
  const [session, linked] = [await resolveLink(sessionPath), await resolveLink(folder)]
  return linked?.isFolder === true && session !== undefined && !isInside(session.realPath, linked.realPath)
}
