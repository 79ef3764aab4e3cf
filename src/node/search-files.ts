import { keepFirstValues } from './files/detect-file.ts'
import { fileReader, keepNames } from './files/file-reader.ts'
import { wrapReadError } from './files/read-error.ts'
import { readChunks } from './files/read-piece.ts'
import { findSession, pathsOf } from './read/find-session.ts'
import { isStoredSession } from './read/stored-session.ts'
import { LONGEST_SPELLING, rawExpression, type SearchPattern } from './search-pattern.ts'

/**
 * Returns a function that says whether the files of a session may contain the text. It reads bytes and parses
 * nothing. True if only a whole reading can say it.
 */
export function sessionFilter({
  rawPart,
  isExact,
}: Pick<SearchPattern, 'rawPart' | 'isExact'>): (path: string) => Promise<boolean> {
  const reader = keepNames(keepFirstValues(fileReader))
  const part = rawExpression({ rawPart, isExact })
  const contains = (file: string) =>
    wrapReadError(fileContains(file, part, LONGEST_SPELLING * rawPart.length), file)
  return async (path) => {
    if (rawPart === '' || isStoredSession(path) || (await contains(path))) return true
    const { transcripts } = await findSession(path, { reader })
    for (const file of transcripts.flatMap(pathsOf)) if (file !== path && (await contains(file))) return true
    return false
  }
}

async function fileContains(path: string, part: RegExp, length: number): Promise<boolean> {
  let end = ''
  for await (const bytes of readChunks(path)) {
    // Each byte is one character here, and those of ASCII are never a part of another character in UTF-8.
    const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1')
    if (part.test(text) || part.test(end + text.slice(0, length))) return true
    end = (end + text).slice(-length)
  }
  return false
}
