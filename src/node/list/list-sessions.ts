import { readFile, stat } from 'node:fs/promises'
import { compareStrings, timeInMs } from '../../core/json/lists.ts'
import { hasFilesOfOneId } from '../../wires/names.ts'
import { Listing } from './listing.ts'
import type { Candidate } from './part-candidates.ts'
import type { ListOptions, SessionSummary } from './session-summary.ts'

/**
 * Lists the sessions of all programs on this machine, newest first by `updatedAt`. It reads at most the first and the
 * last 64 KiB of a session's file, and no file of a subagent. Files of other programs are skipped.
 */
export function listSessions(options: ListOptions = {}): AsyncGenerator<SessionSummary, void> {
  return listMatching(options)
}

/** The questions of a listing, and its reports. */
export interface Matching {
  /** Whether the session at a path may match. */
  readonly mayMatch?: (path: string) => Promise<boolean>
  /** A text that the summary of a session must have. The others are read no further. */
  readonly text?: string | undefined
  /** Gets the number of files and rows that may hold a session. */
  readonly onFound?: (count: number) => void
}

/**
 * Lists the sessions that may match, newest first. The question is asked before anything of a session is parsed. A
 * format may keep several files of a session. An older file never stands for a newer one that does not match, so such
 * files are read too if one of them matches.
 */
export async function* listMatching(
  options: ListOptions,
  { mayMatch, text, onFound }: Matching = {},
): AsyncGenerator<SessionSummary, void> {
  const { limit = Number.POSITIVE_INFINITY, signal } = options
  const listing = new Listing(options)
  const listed = new Set<string>()
  let count = 0
  const all = await listing.candidates()
  onFound?.(all.length)
  const matching = new Set(mayMatch ? await keepMatching(all, listing, mayMatch) : all)
  const ordered = await newestFirst(withFurtherFiles(all, matching), listing)
  let from = 0
  // A caller may need the first session alone, so the groups grow.
  for (let size = 1; from < ordered.length && count < limit; size = Math.min(2 * size, GROUP)) {
    if (signal?.aborted) return
    const next = ordered.slice(from, from + Math.min(size, Math.ceil(limit - count)))
    from += next.length
    const group = await inGroups(next, async (candidate) => ({
      summary: await listing.read(candidate, () => summaryWith(text, candidate)),
      isMatch: matching.has(candidate),
    }))
    for (const { summary, isMatch } of group) {
      if (signal?.aborted) return
      if (!summary || isOlderFile(summary, listed) || !isMatch) continue
      count += 1
      yield summary
    }
  }
}

async function summaryWith(
  text: string | undefined,
  candidate: Candidate,
): Promise<SessionSummary | undefined> {
  return text === undefined || (await candidate.mayHave(text)) ? candidate.summarize() : undefined
}

async function keepMatching(
  candidates: readonly Candidate[],
  listing: Listing,
  mayMatch: (path: string) => Promise<boolean>,
): Promise<readonly Candidate[]> {
  const answers = await inGroups(candidates, (candidate) =>
    listing.read(candidate, () => mayMatch(candidate.key)),
  )
  return candidates.filter((_, at) => answers[at])
}

/** Returns the matching candidates, and the others that may be a newer file of one of their sessions. */
function withFurtherFiles(all: readonly Candidate[], matching: ReadonlySet<Candidate>): readonly Candidate[] {
  const isNeeded = [...matching].some(({ hasFurtherFiles }) => hasFurtherFiles)
  return all.filter((each) => matching.has(each) || (isNeeded && each.hasFurtherFiles))
}

/** Whether a newer file of the session has been listed. It notes the session's id if not. */
function isOlderFile({ id, format }: SessionSummary, listed: Set<string>): boolean {
  if (!hasFilesOfOneId(format)) return false
  const isListed = listed.has(id)
  listed.add(id)
  return isListed
}

/**
 * Returns the sessions whose id is the name, or begins with it if none is. Capitals count only between ids that
 * differ in them alone. The names of files come first: the contents of the files count only if no file with that name
 * holds such a session.
 */
export async function sessionsWithId(
  name: string,
  options: ListOptions = {},
): Promise<readonly SessionSummary[]> {
  const listing = new Listing(options)
  const candidates = await listing.candidates()
  const isNamed = (candidate: Candidate) => candidate.name.toLowerCase().includes(name.toLowerCase())
  const named = await matching(await newestFirst(candidates.filter(isNamed), listing), name, listing)
  if (named.length > 0) return withoutCopies(named)
  return matching(await newestFirst(candidates, listing), name, listing, { isFirstEnough: true })
}

/** Leaves out the older files of a session, and the files that another home has too, byte for byte. */
async function withoutCopies(found: readonly SessionSummary[]): Promise<readonly SessionSummary[]> {
  const kept: SessionSummary[] = []
  const listed = new Set<string>()
  for (const summary of found) {
    const others = kept.filter(({ id }) => id === summary.id)
    if (isOlderFile(summary, listed)) continue
    const copies = await Promise.all(others.map(({ path }) => isSameFile(path, summary.path)))
    if (!copies.includes(true)) kept.push(summary)
  }
  return kept
}

/** A session in a database is no file, and never the same. */
async function isSameFile(left: string, right: string): Promise<boolean> {
  try {
    const [one, other] = await Promise.all([stat(left), stat(right)])
    return one.size === other.size && (await readFile(left)).equals(await readFile(right))
  } catch {
    return false
  }
}

/** Returns the paths of sessions in the order of a listing. Paths that a listing cannot read keep their order, after the others. */
export async function newestPaths(paths: readonly string[]): Promise<readonly string[]> {
  const listing = new Listing({})
  const candidates = await newestFirst(await listing.candidatesAt(paths), listing)
  return [...new Set([...candidates.map(({ path }) => path), ...paths])]
}

/** Returns the summaries of the sessions at those paths, in any order. A session that cannot be read has none. */
export async function sessionsAt(paths: readonly string[]): Promise<readonly SessionSummary[]> {
  const listing = new Listing({})
  const found: SessionSummary[] = []
  for (const candidate of await listing.candidatesAt(paths)) {
    const summary = await listing.read(candidate, () => candidate.summarize())
    if (summary) found.push(summary)
  }
  return found
}

async function matching(
  candidates: readonly Candidate[],
  name: string,
  listing: Listing,
  { isFirstEnough = false }: { readonly isFirstEnough?: boolean } = {},
): Promise<readonly SessionSummary[]> {
  const wanted = name.toLowerCase()
  const found: SessionSummary[] = []
  for (const candidate of candidates) {
    const summary = await listing.read(candidate, () => candidate.summarize())
    if (isFirstEnough && summary?.id === name) return [summary]
    if (summary?.id.toLowerCase().startsWith(wanted)) found.push(summary)
  }
  const exact = found.filter(({ id }) => id === name)
  if (exact.length > 0) return exact
  const same = found.filter(({ id }) => id.toLowerCase() === wanted)
  return same.length > 0 ? same : found
}

/** A candidate that cannot be read has no place in the order. */
async function newestFirst(
  candidates: readonly Candidate[],
  listing: Listing,
): Promise<readonly Candidate[]> {
  const timed = await inGroups(candidates, (each) => withTime(each, listing))
  return timed
    .filter(({ time }) => !Number.isNaN(time))
    .sort((left, right) => right.time - left.time || byChange(left.candidate, right.candidate))
    .map(({ candidate }) => candidate)
}

/** Sorts sessions with the same last time by the change of their files. */
function byChange(left: Candidate, right: Candidate): number {
  const [leftAt = 0, rightAt = 0] = [left.stats?.mtimeMs, right.stats?.mtimeMs]
  return rightAt - leftAt || compareStrings(left.key, right.key)
}

async function withTime(
  candidate: Candidate,
  listing: Listing,
): Promise<{ readonly candidate: Candidate; readonly time: number }> {
  const time = await listing.read(candidate, candidate.updatedAt)
  return { candidate, time: timeInMs(time) }
}

/** Files that are read at the same time. */
const GROUP = 32

/** Returns the results of the work on each item, in the order of the items. */
async function inGroups<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<readonly Result[]> {
  const results: Result[] = []
  for (let from = 0; from < items.length; from += GROUP)
    results.push(...(await Promise.all(items.slice(from, from + GROUP).map(work))))
  return results
}
