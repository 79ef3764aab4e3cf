import { parentPort, workerData } from 'node:worker_threads'
import { keepFirstValues } from '../files/detect-file.ts'
import { fileReader, keepNames } from '../files/file-reader.ts'
import { Listing } from '../list/listing.ts'
import type { Entry } from './entry.ts'
import { readEntry, readingContext } from './read-entry.ts'
import type { WorkerFacts } from './read-in-workers.ts'

/** Reads the files that the main thread names. Each answer is the entries of one message. */
const { scope, keys, startedAt } = workerData as WorkerFacts
const { home, roots } = scope
const reader = keepNames(keepFirstValues(fileReader))
const listing = new Listing({ ...(home !== undefined && { home }), ...(roots && { roots }), reader })
const context = readingContext({ reader, keys, startedAt })

parentPort?.on('message', async (files: readonly string[]) => {
  const entries: Entry[] = []
  for (const candidate of (await listing.candidatesOf(files)) ?? [])
    entries.push(await readEntry(candidate, context))
  parentPort?.postMessage(entries)
})
