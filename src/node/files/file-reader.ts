import { closeSync, openSync, readFileSync, readSync, statSync } from 'node:fs'
import { decodedEntries, messageOf } from '../../reading/input/entries.ts'
import { decodeLines, endLines, fileValue, initialLines } from '../../reading/input/jsonl.ts'
import type { FileReader } from '../../reading/input/transcript-files.ts'
import { decodeText, decompressFile, encodingOf, isCompressed } from './decode-text.ts'
import type { OnUnreadable } from './list-files.ts'
import { namesInFolder } from './list-files.ts'
import { irregularFile, readError } from './read-error.ts'
import { READ } from './read-piece.ts'

/** Reads the files of the system for a format. Throws a `TranscriptError` for a file that cannot be read. */
export const fileReader: FileReader = createFileReader()

/** Like `fileReader`. `onUnreadable` gets each pipe, socket and device: to read one may wait for ever, so none is read. */
export function createFileReader(onUnreadable?: OnUnreadable): FileReader {
  const isReadable = (path: string) => {
    const isRegular = readSafely(path, () => statSync(path).isFile())
    if (!isRegular) onUnreadable?.(path, irregularFile(path))
    return isRegular
  }
  return {
    values: (path) => valuesIn(path, isReadable),
    value: (path) =>
      isReadable(path) ? fileValue(readSafely(path, () => decodeText(readFileSync(path)))) : undefined,
    names: namesInFolder,
  }
}

function* valuesIn(path: string, isReadable: (path: string) => boolean): Generator<unknown, void> {
  if (!isReadable(path)) return
  let memory = initialLines
  let decoder: TextDecoder | undefined
  for (const chunk of chunksOf(path)) {
    decoder ??= new TextDecoder(encodingOf(chunk))
    const decoded = decodeLines(memory, decoder.decode(chunk, { stream: true }))
    memory = decoded.memory
    yield* decodedEntries(decoded).map(messageOf)
    if (memory.rest.length > LONGEST_VALUE) return
  }
  yield* decodedEntries(endLines(memory)).map(messageOf)
}

/** In bytes. Many readers need the first line alone, so a chunk is four times as long as the one before, up to the longest. */
const FIRST_CHUNK = 2 ** 12
const LONGEST_CHUNK = 2 ** 16

/** In UTF-16 units. A request to the model has at most 32 MB, so a longer line is not a session's. */
const LONGEST_VALUE = 2 ** 25

function* chunksOf(path: string): Generator<Uint8Array, void> {
  if (isCompressed(path)) {
    yield decompressFile(
      path,
      readSafely(path, () => readFileSync(path)),
    )
    return
  }
  const file = readSafely(path, () => openSync(path, READ))
  try {
    let position = 0
    for (let size = FIRST_CHUNK; ; size = Math.min(4 * size, LONGEST_CHUNK)) {
      const buffer = new Uint8Array(size)
      const length = readSafely(path, () => readSync(file, buffer, 0, size, position))
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

/**
 * Returns a reader for one pass over many sessions. It reads the names in a folder once: to read them again for each
 * session of a large folder takes long.
 */
export function keepNames(reader: FileReader): FileReader {
  const kept = new Map<string, readonly string[]>()
  return {
    ...reader,
    names(path) {
      const names = kept.get(path) ?? reader.names(path)
      kept.set(path, names)
      return names
    },
  }
}
