import { expect, it } from 'vitest'
import type { FileReader } from '../../../src/reading/input/transcript-files.ts'
import { readStored } from '../../../src/wires/opencode/files/stored-session.ts'

const MAIN = '/s/storage/session/global/ses_1.json'

// An id once led the reader out of the storage folder, because it is a part of paths.
it.each(['../../../../etc', '..', '.', 'a/b', 'a\\b', 'a\0b'])(
  'the id %j of a message leads to no other folder',
  (id) => {
    const files: Readonly<Record<string, unknown>> = {
      [MAIN]: { id: 'ses_1' },
      '/s/storage/message/ses_1/m.json': { id },
    }
    const folders: string[] = []
    const reader: FileReader = {
      values: () => [],
      value: (path) => files[path],
      names(folder) {
        folders.push(folder)
        return Object.keys(files).flatMap((path) =>
          path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : [],
        )
      },
    }
    expect(readStored(MAIN, reader)).toBeDefined()
    expect(folders).toEqual(['/s/storage/session/global', '/s/storage/message/ses_1', '/s/storage/part/'])
  },
)
