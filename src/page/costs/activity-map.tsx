import { Fragment, type ReactNode } from 'react'
import type { CostRow } from '../../cli/serve/machine/listed-session.ts'
import { formatCost, plural } from '../../sinks/markdown/text/values.ts'

const DAY_MS = 86_400_000

/** More weeks would not fit a page. */
const MOST_DAYS = 7 * 40

/** A square for each day from the first to the last one, a week in each column, the darker the more sessions it had. Days are in UTC. */
export function ActivityMap({ rows }: { readonly rows: readonly CostRow[] }): ReactNode {
  const byDay = new Map(rows.map((row) => [row.key, row]))
  const days = daysOf(rows)
  const most = rows.reduce((count, { sessions }) => Math.max(count, sessions), 1)
  return (
    <div className="activity-map" ref={scrollToEnd}>
      {WEEKDAYS.map((name, at) => (
        <span key={name} className="activity-day" style={{ gridRow: 2 * at + 3 }} aria-hidden="true">
          {name}
        </span>
      ))}
      {days.map((day, at) => {
        const place = new Date(days[0] ?? day).getUTCDay() + at
        const column = Math.floor(place / 7) + 2
        const { sessions = 0, costUsd } = byDay.get(day) ?? {}
        const text = [formatDay(day), plural(sessions, 'session'), formatCost(costUsd)]
          .filter(Boolean)
          .join(', ')
        const style = {
          gridArea: `${(place % 7) + 2} / ${column}`,
          opacity: sessions === 0 ? undefined : 0.25 + (0.75 * sessions) / most,
        }
        return (
          <Fragment key={day}>
            {(at === 0 ? daysLeft(day) > 7 : day.endsWith('-01')) && (
              <span className="activity-month" style={{ gridColumn: column }}>
                {MONTH.format(new Date(day))}
              </span>
            )}
            {sessions === 0 ? (
              <span title={text} style={style} />
            ) : (
              <a href={`./?since=${day}`} title={text} style={style}>
                <span className="visually-hidden">{text}</span>
              </a>
            )}
          </Fragment>
        )
      })}
    </div>
  )
}

/** Every second day of the week. All seven would be too dense. */
const WEEKDAYS = ['Mon', 'Wed', 'Fri']

const DAY = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeZone: 'UTC' })

/** Returns a day such as `2026-11-30` as the list has it, `Nov 30, 2026`. Another text stays: it is of the last view. */
export function formatDay(day: string): string {
  const time = Date.parse(day)
  return Number.isNaN(time) ? day : DAY.format(time)
}

const MONTH = new Intl.DateTimeFormat('en', { month: 'short', timeZone: 'UTC' })

/** Returns the days of its month that come after a day. A name of a month needs room. */
function daysLeft(day: string): number {
  const [year = 0, month = 0, date = 0] = day.split('-').map(Number)
  return new Date(Date.UTC(year, month, 0)).getUTCDate() - date
}

/** The newest days come last, and a narrow page has no room for all. */
function scrollToEnd(element: HTMLElement | null): void {
  if (element) element.scrollLeft = element.scrollWidth
}

function daysOf(rows: readonly CostRow[]): readonly string[] {
  const known = rows.flatMap(({ key }) => (key === '' ? [] : [Date.parse(key)]))
  const [first, last] = [known[0], known.at(-1)]
  if (first === undefined || last === undefined) return []
  const count = Math.min(MOST_DAYS, Math.round((last - first) / DAY_MS) + 1)
  return Array.from({ length: count }, (_, at) =>
    new Date(last - (count - 1 - at) * DAY_MS).toISOString().slice(0, 10),
  )
}
