import { rm } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import type { SessionEvent } from '../../core/events/event.ts'
import { asFiniteNumber, isObject, parseJson } from '../../core/json/values.ts'
import { storedSnapshot } from '../../server/log/advance.ts'
import { withinLimit } from '../../server/log/arguments.ts'
import { type Lease, NO_LEASE } from '../../server/log/lease.ts'
import { LocalLog, type LocalLogOptions, type SessionStorage } from '../../server/log/local-log.ts'
import { LogError } from '../../server/log/log-error.ts'
import type { LoggedEvent, SessionLog } from '../../server/log/session-log.ts'
import { isSeq } from '../../server/sync/sequence.ts'
import type { Snapshot } from '../../server/sync/snapshot.ts'
import { copiedLines, eventsAfter } from './batch.ts'
import { linkIfFree, makeFolder, namesIn, syncFolder, textIn, writeSynced } from './disk.ts'
import { EventFile } from './event-file.ts'
import { FolderLock } from './folder-lock.ts'
import {
  folderName,
  incompletePath,
  isAbandoned,
  removeFolder,
  sessionIdIn,
  sessionIdsIn,
  writeAtomically,
  writeSessionId,
} from './session-folder.ts'

/**
 * Returns a log that keeps its sessions in a folder, for one process or thread at a time (`in-use`). An append
 * returns after the disk has it. A line that was cut by a crash is dropped, with the whole append that it belongs to.
 */
export function createFileLog(folder: string, options: LocalLogOptions = {}): SessionLog {
  const path = resolve(folder)
  let taken: Promise<FolderLock> | undefined
  const take = async (): Promise<FolderLock> => {
    taken ??= takeFolder(path)
    try {
      return await taken
    } catch (error) {
      taken = undefined
      throw error
    }
  }
  const open = async (sessionId: string): Promise<FileSession> =>
    FileSession.open(join(path, folderName(sessionId)), await take(), sessionId)
  const sessions = async function* () {
    await take()
    yield* sessionIdsIn(path)
  }
  const close = async (): Promise<void> => {
    const lock = await taken?.catch(() => undefined)
    await lock?.release()
  }
  return Object.assign(new LocalLog({ open, sessions, close }, options), { hasOneProcess: true as const })
}

async function takeFolder(path: string): Promise<FolderLock> {
  await makeFolder(path)
  return FolderLock.take(path)
}

/** Somebody who writes the files. */
interface Writer {
  /** No other writer has this name. */
  readonly name: string
  /** Rejects if another writer has the folder. */
  check(): Promise<void>
}

/**
 * A session in a folder of its own: `session.json` with its id, `events.ndjson`, `snapshot.json` and `lease.json`.
 * After the events up to 200 were dropped, the later ones are in `events-200.ndjson` and the snapshot in
 * `snapshot-200.json`. So no process that is late can write over a newer file.
 */
export class FileSession implements SessionStorage {
  readonly #folder: string
  readonly #writer: Writer
  readonly #id: string
  #events: EventFile
  /** Whether the folder has the session's id. */
  #hasId: boolean
  /** The number in the names of the files. */
  #number: number
  lease: Lease

  private constructor(
    { folder, id, hasId }: { readonly folder: string; readonly id: string; readonly hasId: boolean },
    writer: Writer,
    events: EventFile,
    lease: Lease,
  ) {
    this.#folder = folder
    this.#id = id
    this.#hasId = hasId
    this.#writer = writer
    this.#events = events
    this.#number = numberIn(basename(events.path)) ?? 0
    this.lease = lease
  }

  static async open(folder: string, writer: Writer, id: string): Promise<FileSession> {
    const events = await EventFile.open(join(folder, eventsName(await newestNumber(folder))))
    const lease = leaseOf(await textIn(join(folder, LEASE)), folder)
    const hasId = (await sessionIdIn(folder)) !== undefined
    const session = new FileSession({ folder, id, hasId }, writer, events, lease)
    await session.#removeUnused()
    return session
  }

  get lastSeq(): number {
    return this.#events.lastSeq
  }

  get droppedSeq(): number {
    return this.#events.droppedSeq
  }

  async refresh(): Promise<void> {
    await this.#openNewest()
    const isThere = await this.#events.refresh()
    const { movedAfter, isNew, path } = this.#events
    if (!isThere && !isNew) throw new LogError('broken', `the file is missing: ${path}`)
    if (movedAfter !== undefined) await this.#moveOn(movedAfter)
  }

  async append(events: readonly SessionEvent[]): Promise<boolean> {
    return this.#asWriter(async () => {
      const { lastSeq } = this
      do {
        if (await this.#addLine({ events })) return true
        await this.refresh()
      } while (this.lastSeq === lastSeq)
      return false
    })
  }

  async events(afterSeq: number): Promise<AsyncIterable<LoggedEvent>> {
    return eventsAfter(await this.#events.batches(afterSeq), afterSeq)
  }

  async saveLease(lease: Lease): Promise<void> {
    await this.#asWriter(() => writeAtomically(join(this.#folder, LEASE), JSON.stringify(lease)))
    this.lease = lease
  }

  async saveSnapshot(snapshot: Snapshot, trim: boolean): Promise<void> {
    const isTrim = trim && snapshot.seq > this.droppedSeq
    const path = join(this.#folder, snapshotName(isTrim ? snapshot.seq : this.#number))
    const text = withinLimit(() => JSON.stringify(snapshot))
    await this.#asWriter(async () => {
      await writeAtomically(path, text)
      while (isTrim && this.droppedSeq < snapshot.seq) {
        await this.#drop(snapshot.seq)
        await this.refresh()
      }
    })
  }

  async loadSnapshot(): Promise<Snapshot | null> {
    const path = join(this.#folder, snapshotName(this.#number))
    const text = await textIn(path)
    return text === undefined ? null : storedSnapshot(text, path)
  }

  async delete(): Promise<void> {
    await this.#writer.check()
    await removeFolder(this.#folder)
  }

  /** Writes the next file, and then ends this one. An append that comes between the two ends nothing: the next call copies it. */
  async #drop(upToSeq: number): Promise<void> {
    const copy = await this.#copyAfter(upToSeq)
    try {
      if (await this.#addLine({ events: [], movedAfter: upToSeq })) await this.#publish(copy, upToSeq)
    } finally {
      await rm(copy, { force: true })
    }
  }

  /** A process was killed after it had ended the file. */
  async #moveOn(movedAfter: number): Promise<void> {
    const copy = await this.#copyAfter(movedAfter)
    try {
      await this.#publish(copy, movedAfter)
    } finally {
      await rm(copy, { force: true })
    }
  }

  /** All copies have the same events, so the first one is the file. */
  async #publish(copy: string, number: number): Promise<void> {
    await linkIfFree(copy, join(this.#folder, eventsName(number)))
    await syncFolder(this.#folder)
    await this.#openNewest()
    await this.#removeUnused()
  }

  async #copyAfter(seq: number): Promise<string> {
    const path = incompletePath(join(this.#folder, eventsName(seq)))
    const batches = await this.#events.batches(seq)
    await writeSynced(path, copiedLines(batches, seq, this.#writer.name))
    return path
  }

  #addLine(batch: Parameters<EventFile['append']>[1]): Promise<boolean> {
    const hasNewer = async (): Promise<boolean> => (await newestNumber(this.#folder)) > this.#number
    return this.#events.append(this.#writer.name, batch, hasNewer)
  }

  /** Goes on with the newest file. */
  async #openNewest(): Promise<void> {
    do {
      const number = await newestNumber(this.#folder)
      if (number <= this.#number) return
      this.#events = await EventFile.open(join(this.#folder, eventsName(number)))
      this.#number = number
      // A file that is gone again has a newer one in its place.
    } while (this.#events.isNew)
  }

  /** A session has a folder from its first write on: a reader of an unknown session leaves nothing behind. */
  async #makeFolder(): Promise<void> {
    if (this.#hasId) return
    await makeFolder(this.#folder)
    await writeSessionId(this.#folder, this.#id)
    this.#hasId = true
  }

  /**
   * Runs the work of the folder's writer. It fails if another writer has the folder by now, who has removed the files
   * that were not complete.
   */
  async #asWriter<Result>(work: () => Promise<Result>): Promise<Result> {
    await this.#writer.check()
    await this.#makeFolder()
    try {
      return await work()
    } catch (error) {
      await this.#writer.check()
      throw error
    }
  }

  /** Whether a newer file replaces that one. */
  #isOld(name: string): boolean {
    const number = numberIn(name)
    return number !== undefined && number < this.#number
  }

  /** Removes older files, and those of killed writers. It watches those of other machines all at once. */
  async #removeUnused(): Promise<void> {
    const remove = async (name: string): Promise<void> => {
      const path = join(this.#folder, name)
      if (this.#isOld(name) || (await isAbandoned(path))) await rm(path, { force: true })
    }
    await Promise.all((await namesIn(this.#folder)).map(remove))
  }
}

const LEASE = 'lease.json'

function eventsName(number: number): string {
  return number === 0 ? 'events.ndjson' : `events-${number}.ndjson`
}

function snapshotName(number: number): string {
  return number === 0 ? 'snapshot.json' : `snapshot-${number}.json`
}

const NUMBERED = /^(?:events(?:-(\d+))?\.ndjson|snapshot(?:-(\d+))?\.json)$/

/** Returns the number in the name of a file of events or a snapshot. */
function numberIn(name: string): number | undefined {
  const match = NUMBERED.exec(name)
  return match ? Number(match[1] ?? match[2] ?? 0) : undefined
}

async function newestNumber(folder: string): Promise<number> {
  const names = (await namesIn(folder)).filter((name) => name.startsWith('events'))
  return Math.max(0, ...names.map((name) => numberIn(name) ?? 0))
}

function leaseOf(text: string | undefined, folder: string): Lease {
  if (text === undefined) return NO_LEASE
  const value = parseJson(text)
  if (!isObject(value) || !isSeq(value.generation) || typeof value.expiresAt !== 'number')
    throw new LogError('broken', `the lease is damaged: ${join(folder, LEASE)}`)
  const { generation, owner, expiresAt } = value
  const leaseMs = asFiniteNumber(value.leaseMs) ?? 0
  return typeof owner === 'string'
    ? { generation, owner, expiresAt, leaseMs }
    : { generation, expiresAt, leaseMs }
}
