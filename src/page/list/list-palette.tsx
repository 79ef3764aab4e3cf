import type { ReactNode } from 'react'
import { formatAge, plural } from '../../sinks/markdown/text/values.ts'
import { Palette } from '../palette/palette.tsx'
import type { PaletteItem } from '../palette/palette-item.ts'
import { type ListEntry, timeOf } from './entry.ts'
import { choicesOf, filterIn, type ListFilter, NO_FILTER, STATUS_GROUPS } from './filter.ts'
import type { SavedSearch } from './saved-searches.tsx'

interface ListPaletteProps {
  readonly entries: readonly ListEntry[]
  readonly saved: readonly SavedSearch[]
  readonly filter: ListFilter
  readonly onChange: (filter: ListFilter) => void
}

/** The palette of the list: its commands, saved searches, projects, programs and sessions. */
export function ListPalette({ entries, saved, filter, onChange }: ListPaletteProps): ReactNode {
  const only = (change: Partial<ListFilter>) => () => onChange({ ...filter, ...change })
  const itemsOf = (): readonly PaletteItem[] => [
    { kind: 'Command', text: 'Costs', run: () => location.assign('costs') },
    { kind: 'Command', text: 'Clear all filters', run: () => onChange(NO_FILTER) },
    ...saved.map(({ name, query }) => ({
      ...{ kind: 'Saved search', text: name, run: () => onChange(filterIn(query)) },
    })),
    ...STATUS_GROUPS.map(([status, name]) => ({ kind: 'Status', text: name, run: only({ status }) })),
    ...choicesOf(entries, 'cwd').map(([cwd, count]) => ({
      ...{ kind: 'Project', text: cwd, hint: plural(count, 'session'), run: only({ cwd }) },
    })),
    ...choicesOf(entries, 'program').map(([program, count]) => ({
      ...{ kind: 'Program', text: program, hint: plural(count, 'session'), run: only({ program }) },
    })),
    ...entries.map((entry) => ({
      ...{ kind: 'Session', text: entry.title, hint: hintOf(entry), run: () => location.assign(entry.id) },
    })),
  ]
  return <Palette itemsOf={itemsOf} label="Sessions, projects, programs, commands" />
}

function hintOf(entry: ListEntry): string {
  const age = Date.now() - timeOf(entry)
  return [entry.program, Number.isNaN(age) ? '' : formatAge(age), entry.cwd].filter(Boolean).join(' · ')
}
