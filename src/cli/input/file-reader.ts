import { createReadStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { decodedEntries } from '../../formats/entries.ts'
import type { FileReader } from '../../formats/format.ts'
import { decodeLines, endLines, fileValue, initialLines } from '../../formats/jsonl.ts'
import { readError, wrapReadError } from './read-error.ts'

/** Reads the files of the system for a format. */
export const fileReader: FileReader = {
  values: valuesAtBeginning,
  async value(path) {
    return fileValue(await wrapReadError(readFile(path, 'utf8'), path))
  },
}

/** In bytes. A request to the model has at most 32 MB, so a longer line is not a session's. */
const LONGEST_BEGINNING = 2 ** 25

async function* valuesAtBeginning(path: string): AsyncGenerator<unknown> {
  let memory = initialLines
  for await (const chunk of readChunks(path, { length: LONGEST_BEGINNING, errorPath: path })) {
    const decoded = decodeLines(memory, chunk)
    memory = decoded.memory
    yield* valuesOf(decoded)
  }
  yield* valuesOf(endLines(memory))
}

function valuesOf(decoded: Parameters<typeof decodedEntries>[0]): readonly unknown[] {
  return decodedEntries(decoded).map((entry) => ('message' in entry ? entry.message : undefined))
}

/** Reads a file in chunks, at most `length` bytes of it. The error of an unreadable file starts with `errorPath`. */
export async function* readChunks(
  path: string,
  { length, errorPath }: { readonly length?: number; readonly errorPath?: string } = {},
): AsyncGenerator<Uint8Array> {
  try {
    const end = length === undefined ? Number.POSITIVE_INFINITY : length - 1
    for await (const chunk of createReadStream(path, { end })) yield chunk
  } catch (error) {
    throw readError(error, errorPath)
  }
}

/** Reads one file after the other, because a session may have more files than the system can open at once. */
export async function readFiles(paths: readonly string[]): Promise<Record<string, string>> {
  const texts: [path: string, text: string][] = []
  for (const path of paths) texts.push([path, await wrapReadError(readFile(path, 'utf8'), path)])
  return Object.fromEntries(texts)
}
