import type { ReactNode } from 'react'
import type { ListGroup } from './groups.ts'
import { SessionRows } from './session-rows.tsx'

interface ListGroupsProps {
  readonly groups: readonly ListGroup[]
  readonly onSeeAll: () => void
}

/** The sessions under their headings. */
export function ListGroups({ groups, onSeeAll }: ListGroupsProps): ReactNode {
  // One button is for all groups that have something unseen.
  const unseen = groups.find(({ isUnseen }) => isUnseen)
  return groups.map((group) => (
    <section
      key={group.id}
      className="list-group"
      aria-labelledby={`group ${group.id}`}
      data-group={group.id}
    >
      <header>
        <h2 id={`group ${group.id}`}>{group.title}</h2>
        <span className="list-number">{group.entries.length}</span>
        {group === unseen && (
          <button type="button" onClick={onSeeAll}>
            I have seen these
          </button>
        )}
      </header>
      <SessionRows entries={group.entries} hasNews={group.hasNews} />
    </section>
  ))
}
