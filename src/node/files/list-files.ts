import { type Dirent, readdirSync, realpathSync, statSync } from 'node:fs'
import { lstat, readdir, realpath } from 'node:fs/promises'
import { join, sep } from 'node:path'
import { TranscriptError } from '../../reading/input/combined.ts'
import { brokenLink, irregularFile, isMissing, isUndecoded, readError, wrapReadError } from './read-error.ts'

/** A folder on the way to files: its path as the user sees it, and its path without links. */
interface Folder {
  readonly path: string
  readonly realPath: string
}

/** How to list the files of a folder. */
export interface ListFilesOptions {
  /** Gets each folder inside that cannot be read. Without it, such a folder is an error. */
  readonly onUnreadable?: OnUnreadable | undefined
  /** Gets each folder before its names are read. */
  readonly onFolder?: ((path: string) => void) | undefined
  /** Ends the listing: it throws the signal's reason then. */
  readonly signal?: AbortSignal | undefined
}

/**
 * Returns the paths of the wanted files in a folder, at any depth, in the order of their names. A file or folder that
 * several links lead to is in the result once, under its own name if the folder holds it. A link to a folder around
 * the link leads to nothing. Pipes, sockets and devices are always skipped, and so are the folders `node_modules` and
 * `.git` inside.
 */
export async function listFiles(
  path: string,
  isWanted: (path: string) => boolean,
  options: ListFilesOptions = {},
): Promise<readonly string[]> {
  const start = { path, realPath: await wrapReadError(realpath(path)) }
  const walk = new FolderWalk(start, isWanted, options)
  return (await walk.run()).sort()
}

/** Gets a file or a folder that cannot be read. */
export type OnUnreadable = (path: string, error: unknown) => void

/** Reports the error of a file or folder that was found. One that is gone is no problem, but a link that leads to nothing is one. */
export async function reportUnreadable(
  path: string,
  error: unknown,
  onUnreadable: OnUnreadable,
): Promise<void> {
  if (!isMissing(error) || isUndecoded(path)) onUnreadable(path, error)
  else if (await isBrokenLink(path)) onUnreadable(path, brokenLink(path))
}

async function isBrokenLink(path: string): Promise<boolean> {
  try {
    return (await lstat(path)).isSymbolicLink() && (await resolveLink(path)) === undefined
  } catch (error) {
    if (isMissing(error)) return false
    throw readError(error, path)
  }
}

/** The folders of the kernel have no sessions, and their files change while they are read. */
const KERNEL_FOLDERS: ReadonlySet<string> = new Set(['/proc', '/sys'])

/** They have thousands of files, and no program keeps sessions there. */
const SKIPPED_NAMES: ReadonlySet<string> = new Set(['node_modules', '.git'])

class FolderWalk {
  readonly #start: Folder
  readonly #isWanted: (path: string) => boolean
  readonly #onUnreadable: OnUnreadable | undefined
  readonly #onFolder: ListFilesOptions['onFolder']
  readonly #signal: AbortSignal | undefined
  /** The real paths of the folders and wanted files so far. */
  readonly #seen = new Set<string>()
  readonly #folders: Folder[] = []
  /** Links wait until all real folders are listed, because a file's own name has priority. */
  readonly #links: { readonly path: string; readonly container: Folder }[] = []
  readonly #files: string[] = []

  constructor(
    start: Folder,
    isWanted: (path: string) => boolean,
    { onUnreadable, onFolder, signal }: ListFilesOptions,
  ) {
    this.#start = start
    this.#isWanted = isWanted
    this.#onUnreadable = onUnreadable
    this.#onFolder = onFolder
    this.#signal = signal
  }

  async run(): Promise<string[]> {
    this.#addFolder(this.#start)
    for (;;) {
      this.#signal?.throwIfAborted()
      const folder = this.#folders.pop()
      const link = folder ? undefined : this.#links.pop()
      if (folder) await this.#orSkip(folder, this.#list(folder))
      else if (link) await this.#orSkip(link, this.#follow(link))
      else return this.#files
    }
  }

  async #orSkip(place: { readonly path: string }, work: Promise<void>): Promise<void> {
    try {
      await work
    } catch (error) {
      if (!this.#onUnreadable || place === this.#start) throw error
      this.#onUnreadable(place.path, error)
    }
  }

  async #list(folder: Folder): Promise<void> {
    this.#onFolder?.(folder.path)
    const path = folder === this.#start ? undefined : folder.path
    const entries = await wrapReadError(readdir(folder.path, { withFileTypes: true }), path)
    for (const entry of entries) this.#addEntry(entry, folder)
  }

  #addEntry(entry: Dirent, container: Folder): void {
    if (SKIPPED_NAMES.has(entry.name)) return
    const path = join(container.path, entry.name)
    const realPath = join(container.realPath, entry.name)
    if (entry.isSymbolicLink()) this.#links.push({ path, container })
    else if (entry.isDirectory()) this.#addFolder({ path, realPath })
    else if (entry.isFile()) this.#addFile(path, realPath)
    else if (this.#isWanted(path)) this.#onUnreadable?.(path, irregularFile(path))
  }

  async #follow({ path, container }: { readonly path: string; readonly container: Folder }): Promise<void> {
    const target = await resolveLink(path)
    if (!target && this.#isWanted(path)) this.#onUnreadable?.(path, brokenLink(path))
    if (target?.isFolder === false) this.#addFile(path, target.realPath)
    if (target?.isFolder !== true) return
    const isAround = [container, this.#start].some(({ realPath }) => isInside(realPath, target.realPath))
    if (!isAround) this.#addFolder({ path, realPath: target.realPath })
  }

  #addFolder(folder: Folder): void {
    const isKernels = folder !== this.#start && KERNEL_FOLDERS.has(folder.realPath)
    if (isKernels || this.#seen.has(folder.realPath)) return
    this.#seen.add(folder.realPath)
    this.#folders.push(folder)
  }

  #addFile(path: string, realPath: string): void {
    if (!this.#isWanted(path) || this.#seen.has(realPath)) return
    this.#seen.add(realPath)
    this.#files.push(path)
  }
}

/** Returns the paths that lead to a file, without those that lead to an earlier one's file. */
export async function distinctFiles(paths: readonly string[]): Promise<readonly string[]> {
  const byRealPath = new Map<string, string>()
  for (const path of paths) {
    const target = await resolveLink(path)
    if (target?.isFolder === false && !byRealPath.has(target.realPath)) byRealPath.set(target.realPath, path)
  }
  return [...byRealPath.values()]
}

/** Whether the path is the folder itself or is in it. Both are real paths. */
export function isInside(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep)
}

/** Returns the file or folder of a path; undefined for a broken link, a pipe and the like, which must not hide the other files. */
export async function resolveLink(
  path: string,
): Promise<{ readonly realPath: string; readonly isFolder: boolean } | undefined> {
  try {
    const realPath = realpathSync.native(path)
    const stats = statSync(realPath)
    return stats.isFile() || stats.isDirectory() ? { realPath, isFolder: stats.isDirectory() } : undefined
  } catch (error) {
    if (isMissing(error)) return undefined
    throw readError(error, path)
  }
}

/**
 * Returns the names in a folder, in their order. A folder that does not exist has none. Throws a `TranscriptError` for
 * one that cannot be read.
 */
export function namesInFolder(path: string): readonly string[] {
  try {
    return readdirSync(path).sort()
  } catch (error) {
    if (isMissing(error)) return []
    throw readError(error, path)
  }
}

/** As `namesInFolder`, but undefined for a folder that cannot be read. */
export function namesIfReadable(path: string): readonly string[] | undefined {
  try {
    return namesInFolder(path)
  } catch (error) {
    if (error instanceof TranscriptError) return undefined
    throw error
  }
}

/** Returns names without their case, because a file system may take capitals for others. */
export function lowerNames(names: readonly string[]): ReadonlySet<string> {
  return new Set(names.map((name) => name.toLowerCase()))
}
