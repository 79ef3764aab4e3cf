import { chmod, mkdir, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { readError } from '../../node/files/read-error.ts'
import { InputError } from '../terminal/terminal.ts'

/** The permissions of a folder that does not exist yet: sessions are the person's alone. */
const PRIVATE = 0o700

/**
 * Writes new files into a folder, with its permissions. Throws an `InputError` if one of them exists, before it writes any. If a file cannot be
 * written, those of this call are removed again.
 */
export async function writeNewFiles(folder: string, files: Readonly<Record<string, string>>): Promise<void> {
  const paths = Object.keys(files).map((path) => join(folder, path))
  for (const path of paths) if (await exists(path)) throw new InputError(`${path}: exists already`)
  const mode = (await modeOf(folder)) ?? PRIVATE
  const written: string[] = []
  try {
    // The session's own file is the last one: no program finds half a session.
    for (const [path, text] of Object.entries(files)) {
      const absolute = join(folder, path)
      const created = await mkdir(dirname(absolute), { recursive: true, mode })
      if (created !== undefined) await chmod(created, mode)
      written.push(absolute)
      await writeFile(absolute, text, { flag: 'wx', mode: mode & 0o666 })
    }
  } catch (error) {
    for (const path of written) await rm(path, { force: true })
    throw new InputError(readError(error).message, { cause: error })
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
