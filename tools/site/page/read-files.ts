import { decompress } from 'fzstd'
import { decodeText } from '../../../src/node/files/decode-text.ts'
import { allFormats } from '../../../src/wires/all.ts'
import type { Files } from './memory-reader.ts'

/** A file that a person chose, and its path within what was chosen. */
export interface ChosenFile {
  readonly path: string
  readonly file: File
}

/** A person may choose a folder with all sessions of a machine, which a page cannot hold. In bytes. */
const MOST_BYTES = 400_000_000

/** They have thousands of files, and no program keeps sessions there. */
const SKIPPED = /(?:^|\/)(?:node_modules|\.git)$/

/** Returns the files that were dropped, with those in dropped folders. Call it at once: a drop is gone after its event. */
export async function droppedFiles(items: DataTransferItemList): Promise<readonly ChosenFile[]> {
  const lists = Array.from(items, (item) => {
    const [file, entry] = [item.getAsFile(), item.webkitGetAsEntry()]
    if (file && !entry?.isDirectory) return Promise.resolve([{ path: file.name, file }])
    // Chromium reads no entries for a page from the disk. Other browsers have no handles for what is dropped.
    if (hasHandle(item))
      return item.getAsFileSystemHandle().then((handle) => filesOfHandle(handle, handle.name))
    return entry ? filesOfEntry(entry) : Promise.resolve([])
  })
  return (await Promise.all(lists)).flat()
}

interface ItemWithHandle {
  getAsFileSystemHandle(): Promise<FileSystemHandle>
}

function hasHandle(item: object): item is ItemWithHandle {
  return 'getAsFileSystemHandle' in item
}

async function filesOfHandle(handle: FileSystemHandle, path: string): Promise<readonly ChosenFile[]> {
  if (SKIPPED.test(path)) return []
  if (isFileHandle(handle)) return [{ path, file: await handle.getFile() }]
  const lists: Promise<readonly ChosenFile[]>[] = []
  if (isFolderHandle(handle))
    for await (const each of handle.values()) lists.push(filesOfHandle(each, `${path}/${each.name}`))
  return (await Promise.all(lists)).flat()
}

function isFileHandle(handle: FileSystemHandle): handle is FileSystemFileHandle {
  return handle.kind === 'file'
}

function isFolderHandle(handle: FileSystemHandle): handle is FileSystemDirectoryHandle {
  return handle.kind === 'directory'
}

async function filesOfEntry(entry: FileSystemEntry): Promise<readonly ChosenFile[]> {
  const path = entry.fullPath.replace(/^\//, '')
  if (SKIPPED.test(path)) return []
  if (isFile(entry))
    return [{ path, file: await new Promise<File>((resolve, reject) => entry.file(resolve, reject)) }]
  const entries = isFolder(entry) ? await entriesOf(entry.createReader()) : []
  return (await Promise.all(entries.map(filesOfEntry))).flat()
}

/** A reader returns the entries of a folder in parts, and none after the last one. */
async function entriesOf(reader: FileSystemDirectoryReader): Promise<readonly FileSystemEntry[]> {
  const entries: FileSystemEntry[] = []
  for (;;) {
    const part = await new Promise<FileSystemEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, reject),
    )
    if (part.length === 0) return entries
    entries.push(...part)
  }
}

function isFile(entry: FileSystemEntry): entry is FileSystemFileEntry {
  return entry.isFile
}

function isFolder(entry: FileSystemEntry): entry is FileSystemDirectoryEntry {
  return entry.isDirectory
}

/** Returns the files of a file input, which may be one for folders. */
export function inputFiles(files: FileList): readonly ChosenFile[] {
  return Array.from(files, (file) => ({ path: file.webkitRelativePath || file.name, file }))
}

/** Reads the files that may belong to a session. Throws an `Error` that says what the page cannot read. */
export async function readFiles(chosen: readonly ChosenFile[]): Promise<Files> {
  const wanted = chosen.length === 1 ? chosen : chosen.filter(({ path }) => isWanted(path))
  const size = wanted.reduce((sum, { file }) => sum + file.size, 0)
  if (size > MOST_BYTES)
    throw new Error(`${Math.round(size / 1e6)} MB are too much for a page: choose the folder of one session.`)
  const results = await Promise.allSettled(
    wanted.map(async ({ path, file }) => textOf(path, new Uint8Array(await file.arrayBuffer()))),
  )
  const failure = results.find((result) => result.status === 'rejected')
  if (failure && results.every(({ status }) => status === 'rejected')) throw failure.reason
  return new Map(wanted.map(({ path }, at) => [path, textIn(results[at])]))
}

/** A file that cannot be read hides no other one. As a broken line, it is an issue of its session. */
const UNREADABLE = '{'

function textIn(result: PromiseSettledResult<string> | undefined): string {
  return result?.status === 'fulfilled' ? result.value : UNREADABLE
}

function isWanted(path: string): boolean {
  return /\.(?:jsonl|ndjson)$/.test(path) || allFormats().some(({ files }) => files.isPart(path))
}

const DATABASE = 'SQLite format 3'

function textOf(path: string, bytes: Uint8Array): string {
  const text = decodeText(path.endsWith('.zst') ? decompress(bytes) : bytes)
  if (text.startsWith(DATABASE))
    throw new Error(`${path} is a database, which a page cannot read. Run: agentfold show ${path}`)
  return text
}
