import { open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'

/** Writes a file under another name and renames it, so that a reader finds the old file or the new one, and never a part. */
export async function writeAside(path: string, text: string): Promise<void> {
  const aside = `${path}.new`
  try {
    const file = await open(aside, 'w', 0o600)
    try {
      await file.writeFile(text)
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(aside, path)
  } catch (error) {
    await rm(aside, { force: true })
    throw error
  }
  await syncFolder(dirname(path))
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

/** Whether the error is the system's error of that name. */
export function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}
