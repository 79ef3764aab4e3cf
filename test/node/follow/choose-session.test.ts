import fs from 'node:fs'
import { appendFile, stat, utimes, writeFile } from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { expect, it, vi } from 'vitest'
import { SessionChooser } from '../../../src/node/follow/choose-session.ts'
import { modelSays, toText } from '../../wires/claude/messages.ts'
import { file } from '../opencode-storage.ts'
import { inNewFolder } from './growing-session.ts'

const UNKNOWN = '{"a":1}\n'
const line = toText([modelSays('m1', 'Hi', { uuid: 'm1-uuid', timestamp: '2026-01-01T00:00:01.000Z' })])

// Each poll read up to 5 MB of such a file again.
it('reads a file of an unknown format again after a change alone', () =>
  inNewFolder(async (folder) => {
    const path = await file(join(folder, 's.jsonl'), UNKNOWN.repeat(100))
    const time = new Date('2026-01-01')
    await utimes(path, time, time)
    const chooser = new SessionChooser(path, {})
    expect(await chooser.choose([path])).toBeUndefined()
    const { size } = await stat(path)
    await writeFile(
      path,
      line
        .trimEnd()
        .padEnd(size - 1)
        .concat('\n'),
    )
    await utimes(path, time, time)
    // Size and time hide the change, so only a reader of the file can see it.
    expect(await chooser.choose([path])).toBeUndefined()
    await appendFile(path, '\n')
    expect((await chooser.choose([path]))?.place.architecture).toBe('claude-sdk')
  }))

// The error of the system ended the following of a file that its program was about to write again.
it('says that there is no such file if the file goes after any of its reads', () =>
  inNewFolder(async (folder) => {
    const path = await file(join(folder, 's.jsonl'), line)
    const { readSync } = fs
    const outcomeAfter = async (count: number) => {
      await writeFile(path, line)
      let reads = 0
      const spy = vi.spyOn(fs, 'readSync').mockImplementation((...given: unknown[]) => {
        const length: number = Reflect.apply(readSync, fs, given)
        reads += 1
        if (reads === count) fs.rmSync(path)
        return length
      })
      syncBuiltinESMExports()
      const outcome = await new SessionChooser(path, {}).choose([path]).catch((error) => error.code)
      spy.mockRestore()
      syncBuiltinESMExports()
      return { outcome, reads }
    }
    const { reads } = await outcomeAfter(0)
    expect(reads).toBeGreaterThan(1)
    for (let count = 1; count <= reads; count += 1)
      expect(await outcomeAfter(count)).toMatchObject({ outcome: 'no-such-file' })
  }))
