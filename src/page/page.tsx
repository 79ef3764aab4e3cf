import type { ReactNode } from 'react'
import { createRoot } from 'react-dom/client'
import { Costs } from './costs/costs.tsx'
import { SessionList } from './list/session-list.tsx'
import { connect } from './session/connect.ts'
import { placeOf } from './session/place.ts'
import { SessionView } from './session/session-view.tsx'
import { applyTheme } from './session/theme.tsx'

const root = document.getElementById('root')
if (!root) throw new Error('index.html has no #root')
applyTheme()
createRoot(root).render(shown())

/** Returns what the address is of: the list, or a session. */
function shown(): ReactNode {
  if (location.pathname.endsWith('/sessions/costs')) return <Costs />
  const place = placeOf(location.pathname)
  if (place.type === 'list') return <SessionList />
  const connection = connect(place.events)
  return (
    <SessionView
      store={connection.store}
      connection={connection}
      isListed={place.isListed}
      name={location.pathname}
    />
  )
}
