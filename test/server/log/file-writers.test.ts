import { constants } from 'node:fs'
import { type FileHandle, mkdir, mkdtemp, open as openFile, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { SessionEvent } from '../../../src/entries/index.ts'
import { LogError, type SessionLog } from '../../../src/entries/log.ts'
import { snapshot } from '../../../src/entries/sync.ts'
import { FileSession } from '../../../src/node/log/file-log.ts'
import { LocalLog } from '../../../src/server/log/local-log.ts'
import { fold } from '../../core/reducer/example.ts'
import { depth } from '../../depth.ts'
import { random } from '../../random.ts'
import { report } from './faults/report.ts'

/** `SEED` tries other orders. */
const SEED = Number(process.env.SEED ?? 1)
const ROUNDS = depth({ few: 3, all: 12 })

describe('writers of one folder whose lock does not hold', () => {
  let folder = ''
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'agentfold-writers-'))
  })
  afterEach(() => rm(folder, { recursive: true }))

  it('refuses the second append of a number, and the first one counts', async () => {
    const logs = ['a', 'b', 'c'].map((name) => open(name, folder))
    for (let seq = 0; seq < 20; seq += 1) {
      const results = await Promise.allSettled(
        logs.map((log) => log.append('s', [note(seq)], { expectedSeq: seq })),
      )
      const refusals = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []))
      expect(refusals).toMatchObject(Array(2).fill({ code: 'wrong-seq', expected: seq, actual: seq + 1 }))
    }
    for (const log of [...logs, open('d', folder)]) expect(await read(log)).toEqual(notes(20))
  })

  it('refuses a longer append that was late, and hides its line', async () => {
    const [first, second] = [open('a', folder), open('b', folder)]
    await first.append('s', [note(0)], { expectedSeq: 0 })
    expect(await read(second)).toEqual(notes(1))
    const results = await Promise.allSettled([
      first.append('s', [note(1)], { expectedSeq: 1 }),
      second.append('s', [note(1), note(2), note(3)], { expectedSeq: 1 }),
    ])
    const [winner] = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []))
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    expect(await read(open('c', folder))).toEqual(notes(winner ?? 0))
  })

  it.each([0, 1])(
    'confirms an append that another process trims before it returns, after %i events',
    async (before) => {
      const [first, second] = [open('a', folder), open('b', folder)]
      if (before > 0) await first.append('s', [note(0)], { expectedSeq: 0 })
      const trim = () => second.saveSnapshot('s', place(before + 1), { trim: true })
      const appending = () => first.append('s', [note(before)], { expectedSeq: before })
      expect(await afterDatasync(folder, trim, appending)).toBe(before + 1)
      await expect(read(first)).rejects.toMatchObject({ code: 'trimmed', expected: before + 1 })
      expect(await first.append('s', [note(9)], { expectedSeq: before + 1 })).toBe(before + 2)
    },
  )

  it('confirms an append with its own number, if another process appends before it returns', async () => {
    const [first, second] = [open('a', folder), open('b', folder)]
    const other = () => second.append('s', [note(1)], { expectedSeq: 1 })
    const appending = () => first.append('s', [note(0)], { expectedSeq: 0 })
    expect(await afterDatasync(folder, other, appending)).toBe(1)
    expect(await read(first)).toEqual(notes(2))
  })

  it('does not confirm an append to a file that it made anew after others had dropped it', async () => {
    const second = open('b', folder)
    const appendAndTrim = async () => {
      await second.append('s', [note('other')], { expectedSeq: 0 })
      await second.saveSnapshot('s', place(1), { trim: true })
    }
    const late = new LocalLog(
      storageOf(() => FileSession.open(folder, { name: 'c', check: appendAndTrim }, 's')),
    )
    const appending = late.append('s', [note('late')], { expectedSeq: 0 })
    await expect(appending).rejects.toMatchObject({ code: 'wrong-seq', actual: 1 })
    await expect(read(open('d', folder))).rejects.toMatchObject({ code: 'trimmed', expected: 1 })
  })

  it('keeps each confirmed append once, with trims and killed writers', async () => {
    const counts = { rounds: ROUNDS, confirmed: 0, refused: 0, trims: 0, torn: 0 }
    for (let round = 0; round < ROUNDS; round += 1) {
      const path = join(folder, String(round))
      await mkdir(path)
      const next = random(SEED * 100 + round)
      const confirmed = new Map<number, string>()
      const writers = ['a', 'b', 'c', 'd'].map((name) => ({ path, name, log: open(name, path) }))
      await Promise.all(writers.map((writer) => write(writer, next, { confirmed, counts })))
      const end = open('e', path)
      const first = (await end.loadSnapshot('s'))?.seq ?? 0
      const events = new Map<number, string>()
      for await (const { seq, event } of end.read('s', first)) events.set(seq, textOf(event))
      for (const [seq, text] of confirmed) if (seq > first) expect(events.get(seq)).toBe(text)
      expect(events.size).toBe([...confirmed.keys()].filter((seq) => seq > first).length)
      expect((await readdir(path)).filter((name) => name.startsWith('events'))).toHaveLength(1)
      counts.confirmed += confirmed.size
    }
    report(counts)
    expect(Math.min(counts.confirmed, counts.refused, counts.trims, counts.torn)).toBeGreaterThan(0)
  })
})

/** A log that never notices another writer by a lock. */
function open(name: string, folder: string): SessionLog {
  const writer = { name, check: async () => {} }
  return new LocalLog(storageOf(() => FileSession.open(folder, writer, 's')))
}

/** A folder with one session. */
function storageOf(open: () => Promise<FileSession>) {
  const sessions = async function* () {
    yield 's'
  }
  return { open, sessions, close: async () => {} }
}

/** Runs the call, and the other call right after its line is on the disk. */
async function afterDatasync<Result>(
  folder: string,
  other: () => Promise<unknown>,
  call: () => Promise<Result>,
): Promise<Result> {
  const probe = await openFile(folder, 'r')
  const prototype: FileHandle = Object.getPrototypeOf(probe)
  await probe.close()
  const { datasync } = prototype
  prototype.datasync = async function (this: FileHandle) {
    await datasync.call(this)
    prototype.datasync = datasync
    await other()
  }
  try {
    return await call()
  } finally {
    prototype.datasync = datasync
  }
}

interface Writing {
  readonly path: string
  readonly name: string
  readonly log: SessionLog
}

interface Written {
  readonly confirmed: Map<number, string>
  readonly counts: Record<'refused' | 'trims' | 'torn', number>
}

/** Appends at random, and sometimes does what a killed writer leaves: a part of a line. */
async function write(
  { path, name, log }: Writing,
  next: () => number,
  { confirmed, counts }: Written,
): Promise<void> {
  let seq = 0
  for (let step = 0; step < 60; step += 1) {
    const texts = Array.from({ length: 1 + Math.floor(next() * 3) }, (_, at) => `${name} ${step} ${at}`)
    try {
      const last = await log.append('s', texts.map(note), { expectedSeq: seq })
      for (const [at, text] of texts.entries()) {
        expect(confirmed.has(seq + at + 1)).toBe(false)
        confirmed.set(seq + at + 1, text)
      }
      seq = last
      if (next() < 0.15) counts.trims += await save(log, seq, next() < 0.7)
    } catch (error) {
      if (!(error instanceof LogError) || error.code !== 'wrong-seq') throw error
      counts.refused += 1
      seq = error.actual ?? 0
    }
    if (next() > 0.1) continue
    await leavePart(path, seq, next)
    counts.torn += 1
  }
}

/** Returns the number of trims. */
async function save(log: SessionLog, seq: number, trim: boolean): Promise<number> {
  await log.saveSnapshot('s', place(seq), { trim })
  return trim ? 1 : 0
}

async function leavePart(path: string, seq: number, next: () => number): Promise<void> {
  const line = `${JSON.stringify({ seq: seq + 1, at: 1, by: 'killed', events: [note('killed')] })}\n`
  const names = (await readdir(path)).filter((name) => name.startsWith('events') && name.endsWith('.ndjson'))
  for (const name of names) {
    // A killed writer makes no file anew.
    const file = await openFile(join(path, name), constants.O_WRONLY | constants.O_APPEND).catch(
      () => undefined,
    )
    await file?.write(line.slice(0, 1 + Math.floor(next() * (line.length - 2))))
    await file?.close()
  }
}

function note(text: string | number): SessionEvent {
  return { type: 'session:idle', error: String(text) }
}

function notes(count: number): readonly SessionEvent[] {
  return Array.from({ length: count }, (_, at) => note(at))
}

function textOf(event: SessionEvent): string {
  return event.type === 'session:idle' ? (event.error ?? '') : ''
}

function place(seq: number) {
  return snapshot({ epoch: 's', seq, state: fold() })
}

async function read(log: SessionLog): Promise<readonly SessionEvent[]> {
  const events: SessionEvent[] = []
  for await (const { event } of log.read('s', 0)) events.push(event)
  return events
}
