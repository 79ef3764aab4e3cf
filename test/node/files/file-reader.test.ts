import { execFileSync } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createFileReader } from '../../../src/node/files/file-reader.ts'
import { inNewFolder } from '../follow/growing-session.ts'

// `values` dropped it in silence.
it('gives each pipe to `onUnreadable`, whichever way it is read', () =>
  inNewFolder(async (folder) => {
    const pipe = join(folder, 'a.jsonl')
    const path = join(folder, 'b.jsonl')
    execFileSync('mkfifo', [pipe])
    await writeFile(path, '{"a":1}\n')
    const unreadable: string[] = []
    const reader = createFileReader((each) => unreadable.push(each))
    expect([...reader.values(pipe), reader.value(pipe)]).toEqual([undefined])
    expect([...reader.values(path)]).toEqual([{ a: 1 }])
    expect(unreadable).toEqual([pipe, pipe])
    expect([...createFileReader().values(pipe)]).toEqual([])
  }))
