import { keepFirstValues } from '../files/detect-file.ts'
import { fileReader, keepNames } from '../files/file-reader.ts'
import { wrapReadError } from '../files/read-error.ts'
import { readChunks } from '../files/read-piece.ts'
import { findSession, pathsOf } from '../read/find-session.ts'
import { isStoredSession } from '../read/stored-session.ts'

/** The text that a person searches for. */
export interface SearchPattern {
  /** Finds the text. White space matches any white space. Capitals count only if the text has some. */
  readonly expression: RegExp
  /** The longest part of the text that no program escapes in JSON. Empty if it has none. */
  readonly rawPart: string
  readonly isExact: boolean
  /** The words, in which white space is left out. */
  readonly words: readonly string[]
}

/** Returns the pattern of a text. */
export function searchPattern(text: string): SearchPattern {
  const isExact = /\p{Lu}/u.test(text)
  const words = text.trim().split(/\s+/)
  const source = words.map((word) => word.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')).join('\\s+')
  // A letter outside ASCII, a quote or a slash may be escaped in the file.
  const parts = text.match(/[A-Za-z0-9_.,:;-]+/g) ?? []
  const rawPart = parts.reduce((longest, part) => (part.length > longest.length ? part : longest), '')
  return { expression: new RegExp(source, isExact ? 'u' : 'iu'), rawPart, isExact, words }
}

/**
 * Returns a function that says whether the files of a session may contain the text. It reads bytes and parses
 * nothing. True if only a whole reading can say it.
 */
export function sessionFilter({
  rawPart,
  isExact,
}: Pick<SearchPattern, 'rawPart' | 'isExact'>): (path: string) => Promise<boolean> {
  const reader = keepNames(keepFirstValues(fileReader))
  // This searches as fast as for one spelling, and needs no copy in lower case.
  const part = new RegExp(rawPart.replaceAll('.', '\\.'), isExact ? '' : 'i')
  const contains = (file: string) => wrapReadError(fileContains(file, part, rawPart.length), file)
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
