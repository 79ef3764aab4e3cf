import type { ConversationBlock, SessionConversationState } from 'agentfold'
import { useSession, useSessionStatus } from 'agentfold/react'
import { type ReactNode, useEffect } from 'react'
import { timeInMs } from '../../core/json/lists.ts'
import { memoizeWeakly } from '../../core/selectors/memoize.ts'
import { formatAge } from '../../sinks/markdown/text/values.ts'
import { LiveProvider, useNow } from './now.tsx'

interface LiveProps {
  /** Whether a server sends the session. */
  readonly isConnected: boolean
  readonly children: ReactNode
}

/** Lets clocks run and marks move, as long as a session sends something. In a report, nothing moves. */
export function Live({ isConnected, children }: LiveProps): ReactNode {
  const isSilent = useSilence() !== undefined
  const isLive = isConnected && !isSilent
  useEffect(() => void document.documentElement.toggleAttribute('data-live', isLive), [isLive])
  return <LiveProvider value={isLive}>{children}</LiveProvider>
}

/** How long ago the last event of a running session was, if that is long. */
export function LastEvent(): ReactNode {
  const silence = useSilence()
  return silence !== undefined && <span className="last-event"> · last event {formatAge(silence)}</span>
}

/** A running session without an event for this time may have ended without a word. In ms. */
const LONG = 600_000

function useSilence(): number | undefined {
  const status = useSessionStatus()
  const last = useSession(lastTime)
  const isRunning = status === 'running' || status === 'waiting' || status === 'background'
  const isKnown = isRunning && Number.isFinite(last)
  const passed = useNow(isKnown) - last
  return isKnown && passed > LONG ? passed : undefined
}

function lastTime({ blocks, subagents }: SessionConversationState): number {
  return subagents.reduce((last, agent) => Math.max(last, lastTimeIn(agent.blocks)), lastTimeIn(blocks))
}

/** A block without a time is near one that has one. */
const LOOK_BACK = 50

const lastTimeIn = memoizeWeakly((blocks: readonly ConversationBlock[]) =>
  blocks
    .slice(-LOOK_BACK)
    .map(({ timestamp }) => timeInMs(timestamp))
    .reduce((last, time) => (time > last ? time : last), Number.NEGATIVE_INFINITY),
)
