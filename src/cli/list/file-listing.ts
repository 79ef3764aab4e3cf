import { listMatching, type Matching } from '../../node/list/list-sessions.ts'
import type { ListOptions, SessionSummary } from '../../node/list/session-summary.ts'
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
