import { chmod, mkdir, open, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { readError } from '../../node/files/read-error.ts'
import { InputError } from '../terminal/terminal.ts'

/** The permissions of a folder that does not exist yet: sessions are the person's alone. */
const PRIVATE = 0o700

interface WriteOptions {
  /** Whether only the person may read the files, whatever the folder allows. */
  readonly isPrivate: boolean
  /** What to do if a file exists: the end of the error. */
  readonly onExisting: string
}

/**
 * Writes new files into a folder, with its permissions, or for the person alone. Throws an `InputError` if one of them exists, before it writes any. If a file cannot be
 * written, those of this call are removed again.
 */
export async function writeNewFiles(
  folder: string,
  files: Readonly<Record<string, string>>,
  { isPrivate, onExisting }: WriteOptions,
): Promise<void> {
  const paths = Object.keys(files).map((path) => join(folder, path))
  for (const path of paths)
    if (await exists(path)) throw new InputError(`${path}: exists already: ${onExisting}`)
  const mode = (await modeOf(folder)) ?? PRIVATE
  const written: string[] = []
  try {
    // The session's own file is the last one: no program finds half a session.
    for (const [path, text] of Object.entries(files)) {
      const absolute = join(folder, path)
      const created = await mkdir(dirname(absolute), { recursive: true, mode })
      if (created !== undefined) await chmod(created, mode)
      await writeNewFile(absolute, { text, mode: mode & (isPrivate ? 0o600 : 0o666), written })
    }
  } catch (error) {
    for (const path of written) await rm(path, { force: true })
    throw new InputError(readError(error).message, { cause: error })
  }
}

interface NewFile {
  readonly text: string
  readonly mode: number
  /** The files of this call. One that somebody else has made in the meantime is not among them. */
  readonly written: string[]
}

async function writeNewFile(path: string, { text, mode, written }: NewFile): Promise<void> {
  const file = await open(path, 'wx', mode)
  written.push(path)
  try {
    await file.writeFile(text)
  } finally {
    await file.close()
  }
}

async function exists(path: string): Promise<boolean> {
  return (await modeOf(path)) !== undefined
}

async function modeOf(path: string): Promise<number | undefined> {
  try {
    return (await stat(path)).mode & 0o777
  } catch {
    return undefined
  }
}
