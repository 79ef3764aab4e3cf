import { createReadStream } from 'node:fs'
import { wrapReadError } from '../../node/files/read-error.ts'
import { findSession, pathsOf } from '../../node/read/find-session.ts'
import { isStoredSession } from '../../node/read/stored-session.ts'
import type { SearchPattern } from './pattern.ts'

/** Whether the files of a session may contain the text. It reads bytes and parses nothing. True if only a whole reading can say it. */
export async function mayContain(path: string, { rawPart, isExact }: SearchPattern): Promise<boolean> {
  if (rawPart === '' || isStoredSession(path)) return true
  const { transcripts } = await findSession(path)
  const wanted = isExact ? rawPart : rawPart.toLowerCase()
  for (const each of transcripts.flatMap(pathsOf))
    if (await wrapReadError(fileContains(each, wanted, isExact), each)) return true
  return false
}

/** In bytes. */
const CHUNK = 2 ** 18

async function fileContains(path: string, wanted: string, isExact: boolean): Promise<boolean> {
  // Each byte is one character here, and those of ASCII are never a part of another character in UTF-8.
  const chunks = createReadStream(path, { encoding: 'latin1', highWaterMark: CHUNK })
  let end = ''
  for await (const chunk of chunks) {
    const text = end + (isExact ? chunk : String(chunk).toLowerCase())
    if (text.includes(wanted)) return true
    end = text.slice(-wanted.length)
  }
  return false
}
