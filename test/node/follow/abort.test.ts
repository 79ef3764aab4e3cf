import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { followSession } from '../../../src/entries/node.ts'
import { listFiles } from '../../../src/node/files/list-files.ts'
import { chooseSession } from '../../../src/node/follow/choose-session.ts'
import { findPath } from '../../../src/node/read/find-in-folder.ts'
import { modelSays, toText } from '../../wires/claude/messages.ts'
import { inNewFolder } from './growing-session.ts'

// The scan of 111,000 files ran in one go, and no signal ended it.
it('an abort ends the scan of many files', async () => {
  const paths = Array.from({ length: 100_000 }, (_, at) => `${at}.jsonl`)
  const looked: string[] = []
  const stop = new AbortController()
  const found = findPath(paths, (path) => looked.push(path) < 0, stop.signal)
  await setImmediate()
  stop.abort()
  await expect(found).rejects.toThrow('aborted')
  expect(looked.length).toBeLessThan(1_000)
})

it('an abort ends the listing of a folder', () =>
  inNewFolder(async (folder) => {
    await expect(listFiles(folder, () => true, { signal: AbortSignal.abort() })).rejects.toThrow('aborted')
  }))

it('an abort ends the reading of a session', () =>
  inNewFolder(async (folder) => {
    const path = join(folder, 'stream.ndjson')
    await writeFile(path, `${toText([modelSays('m1', 'Hello', { uuid: 'u' })])}\n`)
    const session = await chooseSession(path)
    await expect(session?.read(AbortSignal.abort())).rejects.toThrow('aborted')
  }))

it('following ends at an abort while it looks for the session', () =>
  inNewFolder(async (folder) => {
    for (let at = 0; at < 200; at += 1) await writeFile(join(folder, `${at}.jsonl`), '{"type":"other"}\n')
    const stop = new AbortController()
    const updates = followSession(folder, { signal: stop.signal })[Symbol.asyncIterator]()
    const first = updates.next()
    await setImmediate()
    stop.abort()
    expect(await first).toEqual({ done: true, value: undefined })
  }))
