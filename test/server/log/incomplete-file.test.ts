import { type FileHandle, mkdir, mkdtemp, open as openFile, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import process from 'node:process'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { LogError } from '../../../src/entries/log.ts'
import { snapshot } from '../../../src/entries/sync.ts'
import { FileSession } from '../../../src/node/log/file-log.ts'
import { ownLock } from '../../../src/node/log/folder-lock.ts'
import { incompletePath, writeAtomically } from '../../../src/node/log/session-folder.ts'
import { temporaryFolder } from '../../cli/temporary.ts'
import { fold } from '../../core/reducer/example.ts'

const { inFolder } = temporaryFolder()
let folder = ''
beforeEach(async () => {
  folder = await mkdtemp(inFolder('session-'))
})
afterEach(() => vi.restoreAllMocks())

const writer = { name: 'a', check: async () => {} }
const lease = { generation: 1, expiresAt: 1, leaseMs: 1 }
const saved = snapshot({ epoch: 's', seq: 1, state: fold() })

/** Runs the work when the file is written, and before it has its name. */
async function beforeRename(work: () => Promise<unknown>): Promise<void> {
  const probe = await openFile(inFolder('probe'), 'w')
  const prototype: FileHandle = Object.getPrototypeOf(probe)
  await probe.close()
  const { sync } = prototype
  vi.spyOn(prototype, 'sync').mockImplementationOnce(async function (this: FileHandle) {
    await sync.call(this)
    await work()
  })
}

async function openSession(check: () => Promise<void> = writer.check): Promise<FileSession> {
  return FileSession.open(folder, { name: 'a', check }, 's')
}

async function withEvent(check?: () => Promise<void>): Promise<FileSession> {
  const session = await openSession(check)
  await session.append([{ type: 'session:running' }])
  return session
}

// A writer that opened the session took the file for one of a killed process, and removed it just before it got its name.
it.each([
  ['a snapshot', 'snapshot.json', (session: FileSession) => session.saveSnapshot(saved, false)],
  [
    'a snapshot that drops events',
    'snapshot-1.json',
    (session: FileSession) => session.saveSnapshot(saved, true),
  ],
  ['a lease', 'lease.json', (session: FileSession) => session.saveLease(lease)],
])('keeps %s that is being written while another writer opens the session', async (_, file, write) => {
  const session = await withEvent()
  await beforeRename(openSession)
  await write(session)
  const names = await readdir(folder)
  expect(names).toContain(file)
  expect(names.filter((name) => name.endsWith('.new'))).toEqual([])
})

/** Returns the name of a file that an earlier process of that number has left. */
function leftBy(pid: number, path: string): string {
  const [, , ...rest] = ownLock().split(' ')
  return `${path}.${Buffer.from([pid, 'earlier', ...rest].join(' ')).toString('base64url')}.new`
}

it('removes what killed processes and earlier versions have left, and nothing else', async () => {
  await withEvent()
  const path = join(folder, 'snapshot.json')
  const living = incompletePath(path)
  const left = [leftBy(2 ** 22 + 1, path), leftBy(process.ppid, path), `${path}.5f2a-91.new`, `${path}.%.new`]
  for (const name of [living, ...left]) await writeFile(name, '')
  await openSession()
  const names = (await readdir(folder)).map((name) => join(folder, name))
  expect(names).toContain(living)
  for (const name of left) expect(names).not.toContain(name)
})

it('watches the files of another machine for as long as a lock, and all at once', {
  timeout: 60_000,
}, async () => {
  await withEvent()
  const path = join(folder, 'snapshot.json')
  const [pid, start, , thread] = ownLock().split(' ')
  // One after the other, they would take two minutes.
  const left = Array.from({ length: 40 }, (_, number) => {
    const writer = [pid, start, 'another-machine', thread, number].join(' ')
    return `${path}.${Buffer.from(writer).toString('base64url')}.new`
  })
  for (const name of left) await writeFile(name, '')
  await openSession()
  expect((await readdir(folder)).filter((name) => name.endsWith('.new'))).toEqual([])
})

it('says that another writer has the folder, if that one has removed the file of a writer that was stopped', async () => {
  let isLost = false
  const session = await withEvent(async () => {
    if (isLost) throw new LogError('in-use', 'another one')
  })
  await beforeRename(async () => {
    isLost = true
    for (const name of await readdir(folder)) if (name.endsWith('.new')) await rm(join(folder, name))
  })
  await expect(session.saveSnapshot(saved, false)).rejects.toMatchObject({ code: 'in-use' })
})

it('leaves no part behind if the file cannot have its name', async () => {
  await mkdir(inFolder('taken'))
  await writeFile(inFolder('taken/x'), '')
  await expect(writeAtomically(inFolder('taken'), 'text')).rejects.toThrow()
  expect((await readdir(inFolder('.'))).filter((name) => name.endsWith('.new'))).toEqual([])
})
