import { keepFirstValues } from '../../node/files/detect-file.ts'
import { fileReader, keepNames } from '../../node/files/file-reader.ts'
import { wrapReadError } from '../../node/files/read-error.ts'
import { readChunks } from '../../node/files/read-piece.ts'
import { listMatching, type Matching } from '../../node/list/list-sessions.ts'
import type { ListOptions, SessionSummary } from '../../node/list/session-summary.ts'
import { findSession, pathsOf } from '../../node/read/find-session.ts'
import { isStoredSession } from '../../node/read/stored-session.ts'
import { LONGEST_SPELLING, rawExpression, type SearchPattern } from '../../node/search-pattern.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { listingOptions } from './machine-index.ts'

/** Lists the sessions in a folder, or without one those of this machine, that may match. */
export function openListing(
  folder: string | undefined,
  terminal: Terminal,
  { onIssue, ...matching }: Omit<Matching, 'onFound'> & Pick<ListOptions, 'onIssue'>,
): { readonly sessions: AsyncIterable<SessionSummary>; readonly candidateCount: () => number } {
  let count = 0
  const options = {
    ...(folder === undefined ? listingOptions(terminal) : { roots: [folder] }),
    ...(onIssue && { onIssue }),
  }
  const onFound = (found: number) => {
    count = found
  }
  return {
    sessions: listMatching(options, { ...matching, onFound }),
    candidateCount: () => count,
  }
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
  const part = rawExpression({ rawPart, isExact })
  const contains = (file: string) =>
    wrapReadError(fileContains(file, part, LONGEST_SPELLING * rawPart.length), file)
  return async (path) => {
    if (rawPart === '' || isStoredSession(path, reader) || (await contains(path))) return true
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
