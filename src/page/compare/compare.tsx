import type { SessionConversationState } from 'agentfold'
import type { SessionConnection } from 'agentfold/sync'
import { type ReactNode, useEffect, useMemo, useState, useSyncExternalStore } from 'react'
import { isEqual } from '../../core/json/equal.ts'
import { sessionTitle } from '../../core/selectors/session-title.ts'
import { STATUS_WORDS } from '../../core/selectors/status.ts'
import { formatCost, plural } from '../../sinks/markdown/text/values.ts'
import { changedFiles } from '../changes/changed-files.ts'
import { fragmentOf } from '../rows/place.ts'
import { connect } from '../session/connect.ts'
import { outcomeOf } from '../session/outcome.tsx'
import { startOf } from '../session/times.ts'
import { linesText } from '../tools/changes.tsx'
import { alignTurns, isSame, type TurnPair } from './align.ts'
import { type Turn, turnsOf } from './turns.ts'

/** Two sessions of one task side by side: their sums, their turns by prompt, where they part, and what each has changed. */
export function Compare(): ReactNode {
  const query = new URLSearchParams(location.search)
  const [left, right] = [useFollowed(query.get('of') ?? ''), useFollowed(query.get('with') ?? '')]
  useEffect(() => {
    document.title = 'Compare · agentfold'
  }, [])
  return (
    <main className="session-list compare">
      <a className="all-sessions" href="./">
        ← All sessions
      </a>
      <h1>Compare two sessions</h1>
      {left.isRefused || right.isRefused ? (
        <p role="status">One of the sessions is not here. Choose two sessions in the list.</p>
      ) : left.state.blocks.length === 0 || right.state.blocks.length === 0 ? (
        <p role="status">Loading the sessions …</p>
      ) : (
        <Both left={left} right={right} />
      )}
    </main>
  )
}

interface Side {
  readonly id: string
  readonly state: SessionConversationState
  readonly isRefused: boolean
}

function useFollowed(id: string): Side {
  const [connection] = useState(() => connect(`../events/${encodeURIComponent(id)}`))
  const state = useSyncExternalStore(connection.store.subscribe, connection.store.getState)
  const status = useSyncExternalStore(
    connection.subscribe,
    (): SessionConnection['status'] => connection.status,
  )
  return { id, state, isRefused: status === 'refused' || status === 'ended' }
}

interface BothProps {
  readonly left: Side
  readonly right: Side
}

function Both({ left, right }: BothProps): ReactNode {
  const pairs = useMemo(
    () => alignTurns(turnsOf(left.state), turnsOf(right.state)),
    [left.state, right.state],
  )
  const parting = pairs.findIndex((pair) => !isSame(pair))
  return (
    <>
      <Sums left={left} right={right} />
      <p className="compare-parting" role="status">
        {partingText(pairs, parting)}
      </p>
      <h2>Turns</h2>
      <ol className="compare-turns">
        {pairs.map((pair, at) => (
          <li
            key={`${pair.left?.blockId} ${pair.right?.blockId}`}
            data-same={isSame(pair) || undefined}
            aria-current={at === parting ? 'location' : undefined}
          >
            <TurnSide turn={pair.left} same={pair.same} id={left.id} />
            <TurnSide turn={pair.right} same={pair.same} id={right.id} />
          </li>
        ))}
      </ol>
      <Files left={left} right={right} />
    </>
  )
}

function partingText(pairs: readonly TurnPair[], parting: number): string {
  const pair = pairs[parting]
  if (!pair) return 'Both go the same way.'
  const turn = `turn ${parting + 1}`
  if (!pair.left || !pair.right) return `They part at ${turn}: one of them lacks the prompt.`
  return `They part in ${turn}, after ${plural(pair.same, 'same step')}.`
}

/** The sums of both. A sum that one side lacks is empty there. */
function Sums({ left, right }: BothProps): ReactNode {
  const sides = [left, right].map(({ id, state }) => ({ id, state, ...outcomeOf(state) }))
  const names = [...new Set(sides.flatMap(({ facts }) => facts.map(([name]) => name)))]
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrolling boxes must be focusable, WCAG 2.1.1
    <section className="compare-sums" aria-label="Sums" tabIndex={0}>
      <table>
        <thead>
          <tr>
            <td />
            {sides.map(({ id, state }) => (
              <th key={id} scope="col">
                <a href={id} dir="auto">
                  {sessionTitle(state) ?? 'Session'}
                </a>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          <Row name="Started" values={sides.map(({ state }) => startedText(state))} />
          <Row name="Status" values={sides.map(({ status }) => STATUS_WORDS[status])} />
          <Row name="Model" values={sides.map(({ state }) => state.session.model ?? '')} />
          {names.map((name) => (
            <Row
              key={name}
              name={name}
              values={sides.map(({ facts }) => facts.find(([each]) => each === name)?.[1] ?? '')}
            />
          ))}
          <Row name="End" values={sides.map(({ ending }) => ending?.text ?? '')} />
        </tbody>
      </table>
    </section>
  )
}

/** Sessions of one task often have one title, and differ by their start. */
function startedText(state: SessionConversationState): string {
  const started = startOf(state)
  return started === undefined ? '' : STARTED.format(started)
}

const STARTED = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })

interface RowProps {
  readonly name: string
  readonly values: readonly string[]
  readonly isPath?: boolean
}

function Row({ name, values, isPath = false }: RowProps): ReactNode {
  return (
    <tr>
      <th scope="row" className={isPath ? 'compare-path' : undefined}>
        {name}
      </th>
      {values.map((value, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the two sides keep their places
        <td key={at} dir="auto">
          {value}
        </td>
      ))}
    </tr>
  )
}

/** More steps are in the session itself. */
const MOST_STEPS = 12

interface TurnSideProps {
  readonly turn: Turn | undefined
  readonly same: number
  readonly id: string
}

function TurnSide({ turn, same, id }: TurnSideProps): ReactNode {
  if (!turn) return <div className="compare-turn none">Not in this session.</div>
  const { prompt, steps, blockId, costUsd } = turn
  const rest = steps.slice(same)
  const addressOf = (block: string): string =>
    `${id}${fragmentOf({ conversationId: 'main', blockId: block })}`
  const facts = [plural(steps.length, 'step'), formatCost(costUsd)].filter(Boolean).join(' · ')
  return (
    <div className="compare-turn">
      <a className="compare-prompt" href={addressOf(blockId)} dir="auto">
        {prompt}
      </a>
      <p className="note">{facts}</p>
      {same > 0 && <p className="note">{plural(same, 'same step')}</p>}
      <ul>
        {rest.slice(0, MOST_STEPS).map((step) => (
          <li key={step.blockId}>
            <a href={addressOf(step.blockId)} dir="auto">
              {step.text || 'Empty'}
            </a>
          </li>
        ))}
      </ul>
      {rest.length > MOST_STEPS && <p className="note">{plural(rest.length - MOST_STEPS, 'more step')}</p>}
    </div>
  )
}

/** The changed files of both. */
function Files({ left, right }: BothProps): ReactNode {
  const [one, two] = [left, right].map(
    ({ state }) => new Map(changedFiles(state).map((each) => [each.path, each])),
  )
  const paths = [...new Set([...(one?.keys() ?? []), ...(two?.keys() ?? [])])].sort()
  if (paths.length === 0) return null
  return (
    <>
      <h2>Changes</h2>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrolling boxes must be focusable, WCAG 2.1.1 */}
      <section className="compare-sums" aria-label="Changes" tabIndex={0}>
        <table>
          <tbody>
            {paths.map((path) => {
              const files = [one?.get(path), two?.get(path)]
              const isSameChange = isEqual(files[0]?.diffs ?? null, files[1]?.diffs ?? null)
              return (
                <Row
                  key={path}
                  name={path}
                  isPath
                  values={[
                    ...files.map((file) => (file ? linesText([file]) : 'not changed')),
                    isSameChange ? 'the same' : 'different',
                  ]}
                />
              )
            })}
          </tbody>
        </table>
      </section>
    </>
  )
}
