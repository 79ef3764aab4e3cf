import { link, mkdir, open, readdir, readFile } from 'node:fs/promises'
import { dirname } from 'node:path'

/** Writes a new file, and returns after the disk has it. */
export async function writeSynced(
  path: string,
  parts: Iterable<string> | AsyncIterable<string>,
): Promise<void> {
  const file = await open(path, 'w', 0o600)
  try {
    for await (const part of parts) await file.appendFile(part)
    await file.sync()
  } finally {
    await file.close()
  }
}

/** Gives the file another name, too. Returns false if that name is taken: only one process can give a name. */
export async function linkIfFree(path: string, name: string): Promise<boolean> {
  try {
    await link(path, name)
    return true
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false
    throw error
  }
}

/** Makes the folder, and those above it, so that they survive a power cut. */
export async function makeFolder(path: string): Promise<void> {
  const first = await mkdir(path, { recursive: true, mode: 0o700 })
  if (first === undefined) return
  for (let made = path; made.length >= first.length; made = dirname(made)) await syncFolder(dirname(made))
}

/** Makes a new name in the folder survive a power cut. Windows cannot open a folder, and needs no call. */
export async function syncFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return
  const folder = await open(path, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}

/** Returns the text of the file, or undefined if there is no file. */
export function textIn(path: string): Promise<string | undefined> {
  return unlessMissing(readFile(path, 'utf8'))
}

/** Returns the names in the folder. A folder that is missing has none. */
export async function namesIn(path: string): Promise<readonly string[]> {
  return (await unlessMissing(readdir(path))) ?? []
}

/** Returns the result, or undefined if a file or a folder is missing. */
export async function unlessMissing<Result>(work: Promise<Result>): Promise<Result | undefined> {
  try {
    return await work
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined
    throw error
  }
}

/** Whether the error is the system's error of that name. */
export function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}
