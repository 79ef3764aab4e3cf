import { type KeyboardEvent, type ReactNode, useId } from 'react'
import { formatDuration, plural } from '../../sinks/markdown/text/values.ts'
import { Details } from '../rows/details.tsx'
import { useNavigator } from '../rows/navigator.tsx'
import { useTone } from '../rows/tone.ts'
import { Roving } from '../session/roving.tsx'
import { useCalm } from '../session/use-calm.ts'
import { type Bar, type Lane, lanesOf, type Span } from './lanes.ts'
import { type Scale, scaleOfLanes, type Tick, ticksOf } from './scale.ts'
import { shortTitles } from './short-titles.ts'
import { useZoom } from './use-zoom.ts'
import { ZoomButtons, zoomByKey } from './zoom-buttons.tsx'

/** When each agent and each tool ran. Empty for a session without times. */
export function Timeline(): ReactNode {
  const lanes = useCalm(lanesOf)
  const scale = scaleOfLanes(lanes)
  if (scale.activeMs === 0) return null
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
              {scale.pauses.length > 0 && `, ${plural(scale.pauses.length, 'pause')} left out`}
            </span>
          </>
        }
      >
        {() => <Lanes lanes={lanes} scale={scale} />}
      </Details>
    </section>
  )
}

interface LanesProps {
  readonly lanes: readonly Lane[]
  readonly scale: Scale
}

function Lanes({ lanes, scale }: LanesProps): ReactNode {
  const helpId = useId()
  const { box, zoom, zoomTo } = useZoom<HTMLDivElement>()
  const [main, ...agents] = lanes
  const { ticks, step } = ticksOf(spanOf(lanes), scale, zoom)
  const titles = [...(main ? [main.title] : []), ...shortTitles(agents.map(({ title }) => title))]
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys come from the buttons in it
    <div className="zoomed" onKeyDown={(event) => zoomByKey(event, zoom, zoomTo)}>
      <ZoomButtons zoom={zoom} zoomTo={zoomTo} />
      <div className="waterfall" ref={box}>
        <Roving label="Calls by time">
          <div className="waterfall-content" style={{ width: `${zoom * 100}%` }}>
            <Axis ticks={ticks} zoom={zoom} format={step < 60_000 ? SECONDS : MINUTES} />
            <ol className="lanes" onKeyDownCapture={goToNeighbour} aria-describedby={helpId}>
              {lanes.map((lane, at) => (
                <LaneRow
                  key={lane.id}
                  lane={lane}
                  title={titles[at] ?? lane.title}
                  scale={scale}
                  zoom={zoom}
                />
              ))}
            </ol>
            <p className="visually-hidden" id={helpId}>
              The arrow keys move between calls and agents. Enter goes to the call. Plus and minus zoom.
            </p>
          </div>
        </Roving>
      </div>
    </div>
  )
}

/** Up and down lead to the lanes above and below. */
function goToNeighbour(event: KeyboardEvent): void {
  const row = event.target instanceof Element ? event.target.closest('.lane-row') : null
  const next =
    event.key === 'ArrowDown'
      ? row?.nextElementSibling
      : event.key === 'ArrowUp'
        ? row?.previousElementSibling
        : undefined
  const button = next?.querySelector('button')
  if (!button) return
  event.preventDefault()
  event.stopPropagation()
  button.focus()
}

function spanOf(lanes: readonly Lane[]): Span {
  return {
    from: lanes.reduce((first, lane) => Math.min(first, lane.from), Number.POSITIVE_INFINITY),
    to: lanes.reduce((last, lane) => Math.max(last, lane.to), Number.NEGATIVE_INFINITY),
  }
}

interface AxisProps {
  readonly ticks: readonly Tick[]
  readonly zoom: number
  readonly format: Intl.DateTimeFormat
}

/** Round times above the lanes, each with a line through them. */
function Axis({ ticks, zoom, format }: AxisProps): ReactNode {
  return (
    <>
      <div className="lane-row axis" aria-hidden="true">
        <span className="lane-track">
          {ticks.map(({ at, time }) => (
            <span
              key={time}
              className="tick"
              data-late={(1 - at) * zoom < NARROW_LABEL || undefined}
              style={{ left: percent(at) }}
            >
              {format.format(time)}
            </span>
          ))}
        </span>
      </div>
      <div className="lane-row tick-lines" aria-hidden="true">
        <span className="lane-track">
          {ticks.map(({ at, time }) => (
            <span key={time} className="tick" style={{ left: percent(at) }} />
          ))}
        </span>
      </div>
    </>
  )
}

/** The part of a narrow box that a label takes. */
const NARROW_LABEL = 0.36

const MINUTES = new Intl.DateTimeFormat(undefined, { hour: 'numeric', minute: '2-digit' })
const SECONDS = new Intl.DateTimeFormat(undefined, { hour: 'numeric', minute: '2-digit', second: '2-digit' })

interface LaneRowProps {
  readonly lane: Lane
  readonly title: string
  readonly scale: Scale
  readonly zoom: number
}

function LaneRow({ lane, title, scale, zoom }: LaneRowProps): ReactNode {
  const navigator = useNavigator()
  const { id, bars, isFailed } = lane
  const tone = useTone(id)
  return (
    <li className="lane-row">
      <button
        type="button"
        className="lane-title"
        data-tone={tone}
        data-failed={isFailed || undefined}
        title={`${lane.title}: ${laneText(lane)}`}
        onClick={() => navigator.goToAgent(id)}
      >
        {title}
        <span className="visually-hidden">: {laneText(lane)}</span>
      </button>
      <span className="lane-track">
        <span
          className="segment"
          data-kind="agent"
          data-tone={tone}
          data-failed={isFailed || undefined}
          style={placeOf(lane, scale)}
        />
        {distinct(bars, scale, zoom).map((bar) => (
          <button
            key={bar.blockId}
            type="button"
            className="segment"
            data-kind={bar.kind}
            data-failed={bar.isFailed || undefined}
            title={barText(bar)}
            aria-label={barText(bar)}
            style={placeOf(bar, scale)}
            onClick={() => navigator.goToBlock(id, bar.blockId)}
          />
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

function barText({ text, from, to, isFailed }: Bar): string {
  return `${text}, ${formatDuration(to - from)}, ${SECONDS.format(from)}${isFailed ? ', failed' : ''}`
}

function laneText({ from, to, bars, isFailed }: Lane): string {
  const calls = bars.filter(({ kind }) => kind !== 'waiting')
  const waiting = bars
    .filter(({ kind }) => kind === 'waiting')
    .reduce((sum, bar) => sum + bar.to - bar.from, 0)
  const working = calls.reduce((sum, bar) => sum + bar.to - bar.from, 0)
  return [
    ...(isFailed ? ['failed'] : []),
    ...[formatDuration(to - from), `${calls.length} calls, ${formatDuration(working)}`],
    ...(waiting > 0 ? [`waited for you ${formatDuration(waiting)}`] : []),
  ].join('; ')
}

/** The steps in which places differ. More bars than steps would lie upon each other. */
const STEPS = 400

/** Returns the bars without those that would cover each other. A failure covers the others. */
function distinct(bars: readonly Bar[], scale: Scale, zoom: number): readonly Bar[] {
  const seen = new Map<string, Bar>()
  for (const bar of bars) {
    const steps = [bar.from, bar.to].map((time) => Math.round(scale.place(time) * STEPS * zoom))
    const key = [bar.kind, ...steps].join(' ')
    if (!seen.get(key)?.isFailed) seen.set(key, bar)
  }
  return [...seen.values()]
}

function placeOf({ from, to }: { readonly from: number; readonly to: number }, scale: Scale) {
  const left = scale.place(from)
  return { left: percent(left), width: percent(Math.max(scale.place(to) - left, 0)) }
}

function percent(place: number): string {
  return `${(place * 100).toFixed(2)}%`
}
