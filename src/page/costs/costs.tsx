import { type ReactNode, useEffect, useState } from 'react'
import type { CostRow, CostsBy, Costs as Sums } from '../../cli/serve/machine/listed-session.ts'
import { showDirections } from '../../redaction/printable.ts'
import { formatCost, formatCount } from '../../sinks/markdown/text/values.ts'
import { NO_FILTER, queryOf } from '../list/filter.ts'
import { shortCount } from '../session/tokens.ts'
import { ActivityMap, formatDay } from './activity-map.tsx'

const VIEWS: readonly (readonly [CostsBy, string])[] = [
  ['day', 'Day'],
  ['project', 'Project'],
  ['program', 'Program'],
  ['model', 'Model'],
  ['agent-type', 'Agent type'],
]

const SPANS: readonly (readonly [days: string, name: string])[] = [
  ['7', 'last 7 days'],
  ['30', 'last 30 days'],
  ['180', 'last 180 days'],
  ['', 'all time'],
]

/** The cost of the sessions of the machine, by day, project, program, model or agent type. Each row leads to its sessions. */
export function Costs(): ReactNode {
  const [by, setBy] = useState<CostsBy>('day')
  const [days, setDays] = useState('30')
  const { sums: { rows, isPartial = false } = {}, hasFailed } = useCosts(by, days)
  useEffect(() => {
    document.title = 'Costs · agentfold'
  }, [])
  return (
    <main className="session-list">
      <a className="all-sessions" href="./">
        ← All sessions
      </a>
      <header className="list-head">
        <h1>Costs</h1>
        <label className="costs-span">
          <span className="visually-hidden">Time</span>
          <select value={days} onChange={({ target }) => setDays(target.value)}>
            {SPANS.map(([value, name]) => (
              <option key={value} value={value}>
                {name}
              </option>
            ))}
          </select>
        </label>
      </header>
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be laid out in a line */}
      <div className="list-chips costs-by" role="group" aria-label="By">
        {VIEWS.map(([view, name]) => (
          <button key={view} type="button" aria-pressed={by === view} onClick={() => setBy(view)}>
            {name}
          </button>
        ))}
      </div>
      <p className="list-count" role="status">
        {rows === undefined ? 'Reading the sessions …' : sumText({ rows, isPartial })}
        {hasFailed && ' (no answer from agentfold: asking again)'}
      </p>
      {by === 'day' && rows && <ActivityMap rows={rows} />}
      {rows && rows.length > 0 && <CostTable by={by} rows={rows} />}
    </main>
  )
}

/** In ms. Partial sums are asked for again. */
const AGAIN_MS = 2_000

interface AskedCosts {
  /** Undefined while they come. */
  readonly sums?: Sums
  /** Whether the last answer failed, or did not come. Then they are asked for again. */
  readonly hasFailed?: true
}

function useCosts(by: CostsBy, days: string): AskedCosts {
  const [asked, setAsked] = useState<AskedCosts>({})
  useEffect(() => {
    const stop = new AbortController()
    let again: number | undefined
    const ask = (): void => {
      fetch(`../costs?by=${by}${days === '' ? '' : `&since=${days}d`}`, { signal: stop.signal })
        .then((response) => (response.ok ? response.text() : Promise.reject(new Error(response.statusText))))
        .then((text) => {
          const sums: Sums = JSON.parse(showDirections(text))
          setAsked({ sums })
          if (sums.isPartial) again = window.setTimeout(ask, AGAIN_MS)
        })
        .catch(() => {
          if (stop.signal.aborted) return
          setAsked((known) => ({ ...known, hasFailed: true }))
          again = window.setTimeout(ask, AGAIN_MS)
        })
    }
    setAsked({})
    ask()
    return () => {
      stop.abort()
      window.clearTimeout(again)
    }
  }, [by, days])
  return asked
}

function sumText({ rows, isPartial }: Sums): string {
  const sum = formatCost(rows.reduce((cost, row) => cost + (row.costUsd ?? 0), 0))
  if (isPartial) return `${sum} so far: agentfold still reads older sessions`
  return `${sum} in all, as the programs state it`
}

interface CostTableProps {
  readonly by: CostsBy
  readonly rows: readonly CostRow[]
}

/** Days are in their order, and else the dearest is first. Many programs state no cost: then the tokens decide. */
function CostTable({ by, rows }: CostTableProps): ReactNode {
  const ordered =
    by === 'day'
      ? rows.toReversed()
      : rows.toSorted((a, b) => (b.costUsd ?? 0) - (a.costUsd ?? 0) || tokensIn(b) - tokensIn(a))
  const most = rows.reduce((cost, row) => Math.max(cost, row.costUsd ?? 0), 0)
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrolling boxes must be focusable, WCAG 2.1.1
    <section className="costs-table" aria-label="Costs" tabIndex={0}>
      <table>
        <thead>
          <tr>
            <th scope="col">{VIEWS.find(([view]) => view === by)?.[1]}</th>
            <th scope="col">Cost</th>
            <th scope="col">Sessions</th>
            <th scope="col">Turns</th>
            <th scope="col">Failed</th>
            <th scope="col">Tokens in</th>
            <th scope="col">Tokens out</th>
          </tr>
        </thead>
        <tbody>
          {ordered.map((row) => (
            <tr key={row.key}>
              <th scope="row" dir="auto">
                <RowName by={by} name={row.key} />
              </th>
              <td>
                <span
                  className="costs-bar"
                  style={{ width: `${(100 * (row.costUsd ?? 0)) / (most || 1)}%` }}
                />
                {formatCost(row.costUsd)}
              </td>
              <td>{formatCount(row.sessions)}</td>
              <td>{formatCount(row.turns)}</td>
              <td>{row.failed === 0 ? '' : formatCount(row.failed)}</td>
              <td>{shortCount(tokensIn(row))}</td>
              <td>{shortCount(row.outputTokens ?? 0)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

function tokensIn({ inputTokens = 0, cacheReadTokens = 0, cacheWriteTokens = 0 }: CostRow): number {
  return inputTokens + cacheReadTokens + cacheWriteTokens
}

function RowName({ by, name }: { readonly by: CostsBy; readonly name: string }): ReactNode {
  const filter = FILTERS[by]
  if (name === '') return 'not known'
  const shown = by === 'day' ? formatDay(name) : name
  return filter ? <a href={`./${queryOf({ ...NO_FILTER, [filter]: name })}`}>{shown}</a> : shown
}

/** The field of the list that finds the sessions of a row. No field finds those with agents of a type. */
const FILTERS = {
  day: 'since',
  project: 'cwd',
  program: 'program',
  model: 'filter',
  'agent-type': undefined,
} as const
