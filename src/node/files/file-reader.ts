import { closeSync, createReadStream, openSync, readdirSync, readFileSync, readSync, statSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { decodedEntries } from '../../session/input/entries.ts'
import { decodeLines, endLines, fileValue, initialLines } from '../../session/input/jsonl.ts'
import type { FolderReader } from '../../wires/format.ts'
import { decodeText, encodingOf } from './decode-text.ts'
import type { OnUnreadable } from './list-files.ts'
import { irregularFile, isMissing, readError, wrapReadError } from './read-error.ts'

/** Reads the files of the system for a format. Throws a `TranscriptError` for a file that cannot be read. */
export const fileReader: FolderReader = folderReader()

/** Like `fileReader`. `onUnreadable` gets each pipe, socket and device: to read one may wait for ever, so none is read. */
export function folderReader(onUnreadable?: OnUnreadable): FolderReader {
  const isReadable = (path: string) => {
    const isRegular = readSafely(path, () => statSync(path).isFile())
    if (!isRegular) onUnreadable?.(path, irregularFile(path))
    return isRegular
  }
  return {
    values: (path) => valuesAtBeginning(path, isReadable),
    value: (path) =>
      isReadable(path) ? fileValue(readSafely(path, () => decodeText(readFileSync(path)))) : undefined,
    names,
  }
}

function names(path: string): readonly string[] {
  try {
    return readdirSync(path).sort()
  } catch (error) {
    if (isMissing(error)) return []
    throw readError(error, path)
  }
}

function* valuesAtBeginning(path: string, isReadable: (path: string) => boolean): Generator<unknown, void> {
  if (!isReadable(path)) return
  let memory = initialLines
  let decoder: TextDecoder | undefined
  for (const chunk of chunksAtBeginning(path)) {
    decoder ??= new TextDecoder(encodingOf(chunk))
    const decoded = decodeLines(memory, decoder.decode(chunk, { stream: true }))
    memory = decoded.memory
    yield* valuesOf(decoded)
  }
  yield* valuesOf(endLines(memory))
}

function valuesOf(decoded: Parameters<typeof decodedEntries>[0]): readonly unknown[] {
  return decodedEntries(decoded).map((entry) => ('message' in entry ? entry.message : undefined))
}

/** In bytes. Most first lines are shorter than a chunk. */
const CHUNK = 2 ** 16

/** In bytes. A request to the model has at most 32 MB, so a longer line is not a session's. */
const LONGEST_BEGINNING = 2 ** 25

function* chunksAtBeginning(path: string): Generator<Uint8Array, void> {
  const file = readSafely(path, () => openSync(path, 'r'))
  try {
    const buffer = new Uint8Array(CHUNK)
    for (let position = 0; position < LONGEST_BEGINNING; ) {
      const length = readSafely(path, () => readSync(file, buffer, 0, CHUNK, position))
      if (length === 0) return
      yield buffer.subarray(0, length)
      position += length
    }
  } finally {
    closeSync(file)
  }
}

function readSafely<Value>(path: string, read: () => Value): Value {
  try {
    return read()
  } catch (error) {
    throw readError(error, path)
  }
}

/** Reads a file in chunks. */
export async function* readChunks(path: string): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of createReadStream(path)) yield chunk
  } catch (error) {
    throw readError(error)
  }
}

/** Reads one file after the other, because a session may have more files than the system can open at once. */
export async function readFiles(paths: readonly string[]): Promise<Record<string, string>> {
  const texts: [path: string, text: string][] = []
  for (const path of paths) texts.push([path, await wrapReadError(readFile(path).then(decodeText), path)])
  return Object.fromEntries(texts)
}
