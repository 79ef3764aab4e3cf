import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll } from 'vitest'

/** A folder for the tests of one file, removed after them. */
export interface TemporaryFolder {
  /** Returns a path in the folder. Call it only while tests run. */
  inFolder(...names: readonly string[]): string
  /** Writes a file there and returns its path. */
  file(name: string, content: string | Uint8Array): Promise<string>
}

export function temporaryFolder(): TemporaryFolder {
  let folder = ''
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'agentfold-'))
  })
  afterAll(() => rm(folder, { recursive: true }))
  const inFolder = (...names: readonly string[]) => join(folder, ...names)
  return {
    inFolder,
    async file(name, content) {
      await mkdir(dirname(inFolder(name)), { recursive: true })
      await writeFile(inFolder(name), content)
      return inFolder(name)
    },
  }
}
