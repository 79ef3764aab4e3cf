import { useSessionStore } from 'agentfold/react'
import { type ReactNode, useEffect, useState } from 'react'
import { formatDuration } from '../../sinks/markdown/text/values.ts'
import { Details } from '../rows/details.tsx'
import { useNavigator } from '../rows/navigator.tsx'
import { useTone } from '../rows/tone.ts'
import { type Bar, type Lane, lanesOf } from './lanes.ts'
import { type Scale, scaleOf } from './scale.ts'

/** When each agent and each tool ran. Empty for a session without times. */
export function Timeline(): ReactNode {
  const lanes = useLanes()
  if (lanes.length === 0 || lanes.every(({ from, to }) => from === to)) return null
  const spans = lanes.flatMap(({ from, to, bars }) =>
    bars.length > 0 ? [...bars, { from, to: from }, { from: to, to }] : [{ from, to }],
  )
  const scale = scaleOf(spans)
  return (
    <section className="timeline" aria-label="Timeline">
      <Details
        id="timeline"
        isOpenByDefault={lanes.length > 1}
        summary={
          <>
            <span className="summary-name">Timeline</span>
            <span className="preview">
              {formatDuration(scale.activeMs)}
              {scale.pauses.length > 0 &&
                `, ${scale.pauses.length} pause${scale.pauses.length === 1 ? '' : 's'} left out`}
            </span>
          </>
        }
      >
        {() => (
          <ol className="lanes">
            {lanes.map((lane) => (
              <LaneRow key={lane.id} lane={lane} scale={scale} />
            ))}
          </ol>
        )}
      </Details>
    </section>
  )
}

/** The time between two looks at the session, in ms. The timeline of a long session takes too long for every delta. */
const PAUSE = 1000

function useLanes(): readonly Lane[] {
  const store = useSessionStore()
  const [lanes, setLanes] = useState(() => lanesOf(store.getState()))
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const look = (): void => {
      timer = undefined
      setLanes(lanesOf(store.getState()))
    }
    look()
    const unsubscribe = store.subscribe(() => {
      timer ??= setTimeout(look, PAUSE)
    })
    return () => {
      unsubscribe()
      clearTimeout(timer)
    }
  }, [store])
  return lanes
}

function LaneRow({ lane, scale }: { readonly lane: Lane; readonly scale: Scale }): ReactNode {
  const navigator = useNavigator()
  const { id, title, from, to, bars } = lane
  const tone = useTone(id)
  return (
    <li className="lane-row">
      <button type="button" className="lane-title" data-tone={tone} onClick={() => navigator.goToAgent(id)}>
        {title}
        <span className="visually-hidden">{laneText(lane)}</span>
      </button>
      <span className="lane-track" aria-hidden="true" title={`${title}: ${laneText(lane)}`}>
        <Segment from={from} to={to} kind="agent" scale={scale} tone={tone} />
        {distinct(bars, scale).map((bar) => (
          <Segment key={`${bar.kind} ${bar.from} ${bar.to}`} {...bar} scale={scale} />
        ))}
        {scale.pauses.map(({ at, durationMs }) => (
          <span
            key={at}
            className="pause"
            style={{ left: percent(at) }}
            title={`Pause of ${formatDuration(durationMs)}`}
          />
        ))}
      </span>
    </li>
  )
}

function laneText({ from, to, bars }: Lane): string {
  const calls = bars.filter(({ kind }) => kind !== 'waiting')
  const waiting = bars
    .filter(({ kind }) => kind === 'waiting')
    .reduce((sum, bar) => sum + bar.to - bar.from, 0)
  const working = calls.reduce((sum, bar) => sum + bar.to - bar.from, 0)
  const texts = [formatDuration(to - from), `${calls.length} calls, ${formatDuration(working)}`]
  return [...texts, ...(waiting > 0 ? [`waited for you ${formatDuration(waiting)}`] : [])].join('; ')
}

interface SegmentProps {
  readonly from: number
  readonly to: number
  readonly kind: string
  readonly scale: Scale
  readonly tone?: number | undefined
}

function Segment({ from, to, kind, scale, tone }: SegmentProps): ReactNode {
  const left = scale.place(from)
  return (
    <span
      className="segment"
      data-kind={kind}
      data-tone={tone}
      style={{ left: percent(left), width: percent(Math.max(scale.place(to) - left, 0)) }}
    />
  )
}

/** The steps in which places differ. More bars than steps would lie upon each other. */
const STEPS = 400

/** Returns the bars without those that would cover each other. */
function distinct(bars: readonly Bar[], scale: Scale): readonly Bar[] {
  const seen = new Map<string, Bar>()
  for (const bar of bars)
    seen.set(
      `${bar.kind} ${Math.round(scale.place(bar.from) * STEPS)} ${Math.round(scale.place(bar.to) * STEPS)}`,
      bar,
    )
  return [...seen.values()]
}

function percent(place: number): string {
  return `${(place * 100).toFixed(2)}%`
}
