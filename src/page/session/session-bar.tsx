import { contextTokens, fileChanges, type SessionConversationState, type SessionStatus } from 'agentfold'
import { useSession, useSessionStatus, useSessionStore } from 'agentfold/react'
import type { ConnectionStatus } from 'agentfold/sync'
import { type ReactNode, useEffect } from 'react'
import { failureText } from '../../core/selectors/failure.ts'
import { sessionTitle } from '../../core/selectors/session-title.ts'
import { doingIn, STATUS_WORDS } from '../../core/selectors/status.ts'
import type { SessionFacts } from '../../core/state/session.ts'
import { formatCost, formatDuration } from '../../sinks/markdown/text/values.ts'
import { useNavigator } from '../rows/navigator.tsx'
import { LastEvent } from '../time/last-event.tsx'
import { filesText } from '../tools/changes.tsx'
import { Doing } from './doing.tsx'
import { isEmptySession } from './empty-session.ts'
import { keepChoice, keptChoice } from './kept.ts'
import { StatusMark } from './status-mark.tsx'
import { durationOf, startOf } from './times.ts'
import { shortCount } from './tokens.ts'
import { useIcon } from './use-icon.ts'
import { Waiting } from './waiting.tsx'

const WORDS: Readonly<Record<ConnectionStatus, string>> = {
  connecting: 'connecting …',
  live: 'connected',
  lost: 'connection lost, trying again …',
  ended: 'the session was removed',
  refused: 'not available',
}

interface SessionBarProps {
  /** Absent in a report. */
  readonly connectionStatus: ConnectionStatus | undefined
  readonly isMenuOpen: boolean
  readonly toggleMenu: () => void
  /** The tab keeps the title under this name, so that a page that loads has it at once. */
  readonly name: string | undefined
}

/**
 * The facts of the session, its status, the status of the connection, and the open requests: on a narrow page, the bar
 * is always in view.
 */
export function SessionBar({ connectionStatus, isMenuOpen, toggleMenu, name }: SessionBarProps): ReactNode {
  const title = useTitle(name)
  useTabTitle(title)
  const isLoading = useSession(isEmptySession) && connectionStatus === 'connecting'
  return (
    <header className="bar">
      <h1 dir="auto" title={title}>
        {title}
      </h1>
      {connectionStatus && (
        <p className={`connection ${connectionStatus}`} role="status" data-connection={connectionStatus}>
          {WORDS[connectionStatus]}
        </p>
      )}
      <button
        type="button"
        className="menu-button"
        aria-expanded={isMenuOpen}
        aria-controls="menu"
        onClick={toggleMenu}
      >
        Contents
      </button>
      {/* Of a session that the page never had, nothing is known. */}
      {connectionStatus !== 'refused' && !isLoading && <SessionState />}
      <MainDoing />
      <Facts />
      <Waiting />
    </header>
  )
}

function useTitle(name = ''): string {
  const title = useSession(sessionTitle)
  const program = useSession(programOf)
  useEffect(() => {
    if (title !== undefined) keepTitle(name, title)
  }, [name, title])
  return title ?? keptTitle(name) ?? program ?? 'Session'
}

/** Keeps the title of the session whose page has that path. */
export function keepTitle(path: string, title: string): void {
  if (path !== '') keepChoice('sessionStorage', `title ${path}`, title)
}

function keptTitle(path: string): string | undefined {
  return keptChoice('sessionStorage', `title ${path}`)
}

function programOf({ session }: SessionConversationState): string | undefined {
  return session.program
}

/** The tab tells when a person must look: a session waits for them, or it failed. */
const URGENT: ReadonlySet<string> = new Set(['waiting', 'failed'])

function useTabTitle(title: string): void {
  const status = useSessionStatus()
  useIcon(status)
  useEffect(() => {
    const words = STATUS_WORDS[status]
    const news = `${words.charAt(0).toUpperCase()}${words.slice(1)} · `
    document.title = `${URGENT.has(status) ? news : ''}${title}`
  }, [status, title])
}

/** The work of the session now, and the reason of a failure. */
function SessionState(): ReactNode {
  const status = useSessionStatus()
  const error = useSession(failureText)
  return (
    <p className="session-status" role="status" data-session-status={status}>
      {isWorking(status) ? <WorkLink status={status} /> : <StatusMark status={status} />}
      <LastEvent />
      {status === 'failed' && error !== undefined && <span className="reason">: {error}</span>}
    </p>
  )
}

/** The status, which leads to the call or the agent that runs. On a narrow page, it is the only way there that is in view. */
function WorkLink({ status }: { readonly status: SessionStatus }): ReactNode {
  const store = useSessionStore()
  const navigator = useNavigator()
  const go = (): void => {
    const block = doingIn(store.getState().blocks)?.block
    if (block?.type === 'subagent') navigator.goToAgent(block.toolUseId)
    else if (block) navigator.goToBlock('main', block.id)
  }
  return (
    <button type="button" title="Go to what runs" onClick={go}>
      <StatusMark status={status} />
    </button>
  )
}

function isWorking(status: SessionStatus): boolean {
  return status === 'running' || status === 'background'
}

/** The work of main or of its agents now. It changes too often for a region that screen readers announce. */
function MainDoing(): ReactNode {
  const status = useSessionStatus()
  return isWorking(status) && <Doing conversationId="main" />
}

function factsOf({ session }: SessionConversationState): SessionFacts {
  return session
}

function Facts(): ReactNode {
  const { program, version = '', model, cwd, costUsd } = useSession(factsOf)
  const started = useSession(startOf)
  const duration = useSession(durationOf)
  const context = useSession(contextOf)
  const files = useSession(filesOf)
  return (
    <dl className="facts">
      <Fact name="Started">{started === undefined ? undefined : STARTED.format(started)}</Fact>
      <Fact name="Duration" isFigure>
        {duration === undefined ? undefined : formatDuration(duration)}
      </Fact>
      <Fact name="Program">{program === undefined ? undefined : `${program} ${version}`}</Fact>
      <Fact name="Model">{model}</Fact>
      <Fact name="Folder">{cwd}</Fact>
      <Fact name="Cost" isFigure>
        {formatCost(costUsd) || undefined}
      </Fact>
      <Fact name="Context" isFigure>
        {context}
      </Fact>
      <Fact name="Changed" isFigure>
        {files}
      </Fact>
    </dl>
  )
}

const STARTED = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })

interface FactProps {
  readonly name: string
  /** A narrow page shows the figures alone. */
  readonly isFigure?: boolean
  readonly children: string | undefined
}

function Fact({ name, isFigure = false, children }: FactProps): ReactNode {
  if (children === undefined) return null
  return (
    <div className={isFigure ? 'figure' : undefined} data-fact={name}>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}

/** Returns text, such as `158.1K of 200K tokens`. */
function contextOf(state: SessionConversationState): string | undefined {
  const [tokens, size] = [contextTokens(state), state.session.contextWindow]
  if (tokens === undefined) return undefined
  return `${shortCount(tokens)}${size === undefined ? '' : ` of ${shortCount(size)}`} tokens`
}

/** Returns text, because the list of changes is a new one each time. */
function filesOf(state: SessionConversationState): string | undefined {
  const changes = fileChanges(state)
  return changes.length === 0 ? undefined : filesText(changes)
}
