import type { ReactNode } from 'react'
import type { CostRow } from '../../cli/serve/machine/listed-session.ts'
import { formatCost, plural } from '../../sinks/markdown/text/values.ts'

const DAY_MS = 86_400_000

/** More weeks would not fit a page. */
const MOST_DAYS = 7 * 40

/** A square for each day from the first to the last one, the darker the more sessions it had. Days are in UTC. */
export function ActivityMap({ rows }: { readonly rows: readonly CostRow[] }): ReactNode {
  const byDay = new Map(rows.map((row) => [row.key, row]))
  const days = daysOf(rows)
  const most = rows.reduce((count, { sessions }) => Math.max(count, sessions), 1)
  return (
    <div className="activity-map">
      {days.map((day, at) => {
        const { sessions = 0, costUsd } = byDay.get(day) ?? {}
        const text = [day, plural(sessions, 'session'), formatCost(costUsd)].filter(Boolean).join(', ')
        const style = {
          gridRowStart: at === 0 ? new Date(day).getUTCDay() + 1 : undefined,
          opacity: sessions === 0 ? undefined : 0.25 + (0.75 * sessions) / most,
        }
        return sessions === 0 ? (
          <span key={day} title={text} style={style} />
        ) : (
          <a key={day} href={`./?since=${day}`} title={text} style={style}>
            <span className="visually-hidden">{text}</span>
          </a>
        )
      })}
    </div>
  )
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
