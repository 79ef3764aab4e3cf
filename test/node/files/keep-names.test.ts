import { expect, it } from 'vitest'
import { keepNames } from '../../../src/node/files/file-reader.ts'
import type { FileReader } from '../../../src/reading/input/transcript-files.ts'
import { foldersOfSameBeginning } from '../../../src/wires/claude/files/session-files.ts'

const SESSIONS = 100

/** A folder of sessions with agents, two of which begin with the same line. It counts what is read. */
function countingReader() {
  const read = { names: 0, files: 0 }
  const ids = Array.from({ length: SESSIONS }, (_, at) => `s${at}`)
  const reader: FileReader = {
    *values(path) {
      read.files += 1
      yield { uuid: path.endsWith('/s7.jsonl') ? '/p/s3.jsonl' : path }
    },
    value: () => undefined,
    names(path) {
      read.names += 1
      return path === '/p/' ? ids.flatMap((id) => [id, `${id}.jsonl`]) : ['agent-1.jsonl']
    },
  }
  return { reader, read, ids }
}

// A search read all names of a folder again for each of its sessions, and the beginnings of all sessions with agents.
it('a pass over the sessions of a folder reads each folder and each beginning once', () => {
  const { reader, read, ids } = countingReader()
  const kept = keepNames(reader)
  const found = ids.map((id) => foldersOfSameBeginning(`/p/${id}.jsonl`, kept))
  expect(found[3]).toEqual(['/p/s7/subagents', '/p/s7/workflows'])
  expect(found.flat()).toHaveLength(4)
  expect(read).toEqual({ names: SESSIONS + 1, files: SESSIONS })
})

it('without it, the names are read again, because a program adds files', () => {
  const { reader, read } = countingReader()
  for (let time = 0; time < 2; time += 1) foldersOfSameBeginning('/p/s1.jsonl', reader)
  expect(read).toEqual({ names: 2 * SESSIONS, files: 2 * SESSIONS })
})
