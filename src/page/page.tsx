import type { ReactNode } from 'react'
import { createRoot } from 'react-dom/client'
import { Compare } from './compare/compare.tsx'
import { Costs } from './costs/costs.tsx'
import { SessionList } from './list/session-list.tsx'
import { connect } from './session/connect.ts'
import { placeOf } from './session/place.ts'
import { SaveReport } from './session/save-report.tsx'
import { keepTitle } from './session/session-bar.tsx'
import { SessionView } from './session/session-view.tsx'
import { applyTheme } from './session/theme.tsx'

const root = document.getElementById('root')
if (!root) throw new Error('index.html has no #root')
applyTheme()
createRoot(root).render(shown())

/** Returns what the address is of: the list, or a session. */
function shown(): ReactNode {
  if (location.pathname.endsWith('/sessions/costs')) return <Costs />
  if (location.pathname.endsWith('/sessions/compare')) return <Compare />
  const place = placeOf(location.pathname)
  if (place.type === 'list') {
    document.addEventListener('click', keepTitleOfLink)
    return <SessionList />
  }
  const connection = connect(place.events)
  return (
    <SessionView
      store={connection.store}
      connection={connection}
      isListed={place.isListed}
      wayOn={document.documentElement.hasAttribute('data-report') && <SaveReport from={place.report} />}
      name={location.pathname}
    />
  )
}

/** The page of the session shows its title while it loads. */
function keepTitleOfLink({ target }: MouseEvent): void {
  const link = target instanceof Element ? target.closest<HTMLAnchorElement>('a.list-row') : null
  const title = link?.querySelector('.list-title')?.textContent
  if (link && title) keepTitle(link.pathname, title)
}
