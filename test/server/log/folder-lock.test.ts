import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { mkdtemp, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { FolderLock } from '../../../src/node/log/folder-lock.ts'
import { temporaryFolder } from '../../cli/temporary.ts'

const { inFolder } = temporaryFolder()

const madeFolder = () => mkdtemp(inFolder('log-'))

// The release looked whether the file was its own, and then removed the file of that name: at times the one of the next holder.
it('leaves the lock of another holder who takes the folder during the release', async () => {
  let kept = 0
  const rounds = 60
  for (let round = 0; round < rounds; round += 1) {
    const folder = await madeFolder()
    const lock = await FolderLock.take(folder)
    const path = join(folder, 'lock')
    writeFileSync(`${path}-next`, 'next')
    const released = lock.release()
    const until = performance.now() + (round % 10) / 20
    if (round % 3 === 0) await new Promise(setImmediate)
    while (performance.now() < until);
    renameSync(`${path}-next`, path)
    await released
    if ((await readdir(folder)).includes('lock') && readFileSync(path, 'utf8') === 'next') kept += 1
  }
  expect(kept).toBe(rounds)
})

it('can be taken at once after its release, again and again', async () => {
  const folder = await madeFolder()
  for (let round = 0; round < 5; round += 1) {
    const lock = await FolderLock.take(folder)
    await expect(FolderLock.take(folder)).rejects.toMatchObject({ code: 'in-use' })
    await lock.release()
  }
  // No file of an earlier holder is left.
  expect(await readdir(folder)).toEqual(['lock'])
})

it('goes to one of many who want it at the same time as it is released', async () => {
  const folder = await madeFolder()
  for (let round = 0; round < 10; round += 1) {
    const before = await FolderLock.take(folder)
    const tries = Array.from({ length: 6 }, async (_, each) => {
      await pause(each / 2)
      return FolderLock.take(folder).catch(() => undefined)
    })
    const [found] = await Promise.all([Promise.all(tries), before.release()])
    const holders = found.filter((lock) => lock !== undefined)
    expect(holders.length).toBeLessThanOrEqual(1)
    for (const lock of holders) await lock.release()
  }
})
