import { findConversation } from 'agentfold'
import { useSessionStore } from 'agentfold/react'
import type { ReactNode } from 'react'
import { useAgentTitle } from '../session/agent-title.ts'
import { Roving } from '../session/roving.tsx'
import { blockText, type Match } from './search-blocks.ts'
import type { Search } from './use-search.ts'

/** Nobody reads more of a list. Further matches are reached one by one. */
const MOST = 200

/** The matches of the search, each with the words around it. */
export function Hits({ search: { query, matches, at, goTo } }: { readonly search: Search }): ReactNode {
  return (
    <Roving className="hits" label="Matches">
      <ol>
        {matches.slice(0, MOST).map((match, place) => (
          <li key={`${match.conversationId} ${match.blockId}`}>
            <button type="button" aria-current={place === at || undefined} onClick={() => goTo(place)}>
              <Hit match={match} query={query} />
            </button>
          </li>
        ))}
      </ol>
      {matches.length > MOST && <p className="note">The first {MOST} matches</p>}
    </Roving>
  )
}

/** The words before and after a match, in UTF-16 units. */
const BEFORE = 30
const AFTER = 80

function Hit({ match, query }: { readonly match: Match; readonly query: string }): ReactNode {
  const { conversationId, blockId } = match
  const block = findConversation(useSessionStore().getState(), conversationId)?.blocks.find(
    ({ id }) => id === blockId,
  )
  const title = useAgentTitle(conversationId)
  const text = block ? blockText(block).replace(/\s+/g, ' ') : ''
  const start = Math.max(0, text.toLowerCase().indexOf(query.toLowerCase().replace(/\s+/g, ' ')))
  const end = start + query.length
  return (
    <>
      {conversationId !== 'main' && <bdi className="note">{title}</bdi>}
      <span dir="auto">
        {start > BEFORE ? '…' : ''}
        {text.slice(Math.max(0, start - BEFORE), start)}
        <mark>{text.slice(start, end)}</mark>
        {text.slice(end, end + AFTER)}
      </span>
    </>
  )
}
