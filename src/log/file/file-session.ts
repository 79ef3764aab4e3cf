import { mkdir, open, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { SessionEvent } from '../../events/event.ts'
import { isObject, parseJson } from '../../json/values.ts'
import { isSeq } from '../../sync/sequence.ts'
import type { Snapshot } from '../../sync/snapshot.ts'
import { type Lease, NO_LEASE } from '../lease.ts'
import type { SessionStorage } from '../local-log.ts'
import { LogError } from '../log-error.ts'
import type { LoggedEvent } from '../session-log.ts'
import { storedSnapshot } from '../stored-snapshot.ts'
import { eventsAfter, lineOf, openBatches } from './batches.ts'
import { hasCode, syncFolder, writeAside } from './disk.ts'
import { type FileFacts, repairFile } from './repair.ts'

/** The number of the last appends whose places in the file are known, so that a reader near the end does not read from the beginning. */
const KNOWN_PLACES = 256

/** The event before a place in the file, and the place in bytes. */
interface Place {
  readonly seq: number
  readonly offset: number
}

/** A session in a folder of its own: `events.ndjson`, `snapshot.json` and `lease.json`. */
export class FileSession implements SessionStorage {
  readonly #folder: string
  #facts: FileFacts
  #places: readonly Place[]
  lease: Lease

  private constructor(folder: string, facts: FileFacts, lease: Lease) {
    this.#folder = folder
    this.#facts = facts
    this.#places = [{ seq: facts.droppedSeq, offset: 0 }]
    this.lease = lease
  }

  static async open(folder: string): Promise<FileSession> {
    const facts = await repairFile(join(folder, EVENTS))
    return new FileSession(folder, facts, leaseOf(await textIn(join(folder, LEASE)), folder))
  }

  get lastSeq(): number {
    return this.#facts.lastSeq
  }

  get droppedSeq(): number {
    return this.#facts.droppedSeq
  }

  async append(events: readonly SessionEvent[]): Promise<void> {
    const { size, lastSeq } = this.#facts
    const seq = lastSeq + events.length
    const bytes = Buffer.from(lineOf({ seq, events }))
    await this.#makeFolder()
    const file = await open(this.#path, 'a', 0o600)
    try {
      await file.writeFile(bytes)
      await file.datasync()
    } catch (error) {
      // A full disk may have taken a part of the line.
      await file.truncate(size).catch(() => {})
      throw error
    } finally {
      await file.close()
    }
    if (size === 0) await syncFolder(this.#folder)
    this.#places = [...this.#places.slice(-KNOWN_PLACES), { seq: lastSeq, offset: size }]
    this.#facts = { ...this.#facts, size: size + bytes.length, lastSeq: seq }
  }

  async events(afterSeq: number): Promise<AsyncIterable<LoggedEvent>> {
    const { offset } = this.#places.findLast(({ seq }) => seq <= afterSeq) ?? { offset: 0 }
    const batches = await openBatches(this.#path, { from: offset, to: this.#facts.size })
    return eventsAfter(batches, afterSeq, this.#path)
  }

  async saveLease(lease: Lease): Promise<void> {
    await this.#makeFolder()
    await writeAside(join(this.#folder, LEASE), JSON.stringify(lease))
    this.lease = lease
  }

  async saveSnapshot(snapshot: Snapshot): Promise<void> {
    await this.#makeFolder()
    await writeAside(join(this.#folder, SNAPSHOT), JSON.stringify(snapshot))
  }

  async loadSnapshot(): Promise<Snapshot | null> {
    const path = join(this.#folder, SNAPSHOT)
    const text = await textIn(path)
    return text === undefined ? null : storedSnapshot(text, path)
  }

  async drop(upToSeq: number): Promise<void> {
    const lines = [lineOf({ seq: upToSeq, events: [] })]
    const left: SessionEvent[] = []
    for await (const { event } of await this.events(upToSeq)) left.push(event)
    if (left.length > 0) lines.push(lineOf({ seq: this.lastSeq, events: left }))
    const text = lines.join('')
    await writeAside(this.#path, text)
    this.#facts = { size: Buffer.byteLength(text), lastSeq: this.lastSeq, droppedSeq: upToSeq }
    this.#places = [{ seq: upToSeq, offset: 0 }]
  }

  /** A session has a folder from its first write on: a reader of an unknown session leaves nothing behind. */
  async #makeFolder(): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 })
  }

  get #path(): string {
    return join(this.#folder, EVENTS)
  }
}

const EVENTS = 'events.ndjson'
const LEASE = 'lease.json'
const SNAPSHOT = 'snapshot.json'

/** Returns undefined if there is no file. */
async function textIn(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined
    throw error
  }
}

function leaseOf(text: string | undefined, folder: string): Lease {
  if (text === undefined) return NO_LEASE
  const value = parseJson(text)
  if (!isObject(value) || !isSeq(value.generation) || typeof value.expiresAt !== 'number')
    throw new LogError('broken', `the lease is damaged: ${join(folder, LEASE)}`)
  const { generation, owner, expiresAt } = value
  return typeof owner === 'string' ? { generation, owner, expiresAt } : { generation, expiresAt }
}
