import {
  buildSessionTree,
  fileChanges,
  pendingRequests,
  type SessionConversationState,
  type SessionStatus,
  sessionStatus,
} from 'agentfold'
import { type ReactNode, useEffect, useState } from 'react'
import { failureText } from '../../core/selectors/failure.ts'
import { resumeText } from '../../programs/all.ts'
import { showControls } from '../../redaction/printable.ts'
import { formatCost, formatDuration, plural } from '../../sinks/markdown/text/values.ts'
import { CHANGES } from '../changes/use-view.ts'
import { useNavigator } from '../rows/navigator.tsx'
import { CopyButton } from '../text/copy-button.tsx'
import { plainLine } from '../text/plain-line.ts'
import { lanesOf } from '../timeline/lanes.ts'
import { timesOf } from '../timeline/scale.ts'
import { filesText } from '../tools/changes.tsx'
import { CostByAgent } from './cost-by-agent.tsx'
import { StatusMark } from './status-mark.tsx'
import { tokensOf } from './tokens.ts'
import { useCalm } from './use-calm.ts'

/** How the session ended, with its sums, and the way on: to the failures, to the changes, and back into the program. */
export function Outcome({ wayOn }: { readonly wayOn: ReactNode }): ReactNode {
  const { status, ending, facts, failedAgents, resume } = useCalm(outcomeOf)
  const navigator = useNavigator()
  if (facts.length === 0 && ending === undefined) return null
  return (
    <section className={`session-outcome ${status}`} aria-label="Outcome">
      <p className="ending">
        <StatusMark status={status} />
        {ending !== undefined && (
          <button
            type="button"
            className="ending-text"
            dir="auto"
            onClick={() => navigator.goToBlock(ending.conversationId, ending.blockId)}
          >
            {ending.text}
          </button>
        )}
      </p>
      <dl className="sums">
        {facts.map(([name, value]) => (
          <div key={name} data-sum={name}>
            <dt>{name}</dt>
            <dd>{name === 'Changed' ? <a href={CHANGES}>{value}</a> : value}</dd>
          </div>
        ))}
        {failedAgents.length > 0 && (
          <div data-sum="Failed agents">
            <dt>Failed agents</dt>
            <dd>
              <button
                type="button"
                className="more"
                onClick={() => navigator.goToAgent(failedAgents[0] ?? '')}
              >
                {failedAgents.length}
              </button>
            </dd>
          </div>
        )}
      </dl>
      <CostByAgent />
      <p className="ways-on">
        {resume !== undefined && (
          <>
            <code>{resume}</code>
            <CopyButton text={resume} name="the command that resumes the session" />
          </>
        )}
        <CopyLink />
        {wayOn}
      </p>
    </section>
  )
}

/** The link to the place where the reader is. A report of a disk has one for this machine alone. */
function CopyLink(): ReactNode {
  const [address, setAddress] = useState(location.href)
  useEffect(() => {
    const look = (): void => setAddress(location.href)
    window.addEventListener('hashchange', look)
    return () => window.removeEventListener('hashchange', look)
  }, [])
  return <CopyButton text={address} name="link to this place" label="Copy link" />
}

interface Ending {
  readonly text: string
  readonly conversationId: string
  readonly blockId: string
}

interface SessionOutcome {
  readonly status: SessionStatus
  /** The open request, the reason of a failure, or the last answer. Absent while it runs. */
  readonly ending: Ending | undefined
  readonly facts: readonly (readonly [name: string, value: string])[]
  /** The ids of the agents that failed. */
  readonly failedAgents: readonly string[]
  /** The command that resumes the session. */
  readonly resume: string | undefined
}

/** Returns how the session ended, with its sums. */
export function outcomeOf(state: SessionConversationState): SessionOutcome {
  const { session, subagents } = state
  const { workedMs, waitedMs } = timesOf(lanesOf(state))
  const changes = fileChanges(state)
  const failedAgents = subagents.filter(({ status }) => status === 'error').map(({ toolUseId }) => toolUseId)
  const facts: readonly (readonly [string, string | undefined])[] = [
    ['Cost', formatCost(session.costUsd)],
    ['Tokens', tokensOf(buildSessionTree(state).usage.total)],
    ['Worked', workedMs > 0 ? formatDuration(workedMs) : ''],
    ['Waited for you', waitedMs > 0 ? formatDuration(waitedMs) : ''],
    ['Changed', changes.length === 0 ? '' : filesText(changes)],
    ['Agents', subagents.length === 0 ? '' : plural(subagents.length, 'agent')],
  ]
  return {
    status: sessionStatus(state),
    ending: endingOf(state),
    facts: facts.flatMap(([name, value]) => (value ? [[name, value] as const] : [])),
    failedAgents,
    resume: resumeText(session.program, session.id),
  }
}

/** In UTF-16 units. The error itself has the rest. */
const MOST_REASON = 1000

/** A line has at most so many UTF-16 units. */
const MOST_TEXT = 160

function endingOf(state: SessionConversationState): Ending | undefined {
  const status = sessionStatus(state)
  const [request] = pendingRequests(state)
  const last = state.blocks.at(-1)
  if (status === 'waiting' && request) {
    const { conversationId, block } = request
    return { text: showControls(block.title), conversationId, blockId: block.id }
  }
  if (status === 'failed' && last)
    return {
      text: failureText(state)?.slice(0, MOST_REASON) ?? 'No reason is known',
      conversationId: 'main',
      blockId: last.id,
    }
  if (status === 'running' || status === 'background') return undefined
  const answer = state.blocks.findLast(({ type }) => type === 'assistant_text')
  if (answer?.type !== 'assistant_text') return undefined
  const text = plainLine(answer.content)
  const isCut = text.length >= MOST_TEXT
  return { text: isCut ? `${text} …` : text, conversationId: 'main', blockId: answer.id }
}
