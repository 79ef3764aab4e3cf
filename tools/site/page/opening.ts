import { type SessionConversationState, TranscriptError } from 'agentfold'
import { restore, snapshot } from 'agentfold/sync'
import { showControls, showDirections } from '../../../src/redaction/printable.ts'
import type { Files } from './memory-reader.ts'
import { type FoundSession, type ReadSession, readText, sessionsIn } from './sessions-in-files.ts'
import { sessionInLink } from './share-link.ts'

/** What the page shows: the first screen, a choice of sessions, or one session. */
export type Opened =
  | { readonly type: 'start'; readonly problem?: string }
  | { readonly type: 'choice'; readonly sessions: readonly FoundSession[] }
  | { readonly type: 'session'; readonly name: string; readonly session: ReadSession }

/** Opens the one session among files, or lets the person choose. */
export function openFiles(files: Files): Opened {
  const [only] = files
  if (!only)
    return problem(
      'This has no file that an agent writes: drop a .jsonl, .ndjson or .json file, or its folder.',
    )
  const [path, text] = only
  if (files.size === 1 && /^\s*<(?:!doctype|html)/i.test(text)) return openReport(path, text)
  return guarded(() => {
    const sessions = sessionsIn(files)
    const [session, ...others] = sessions
    if (!session) return problem(UNKNOWN)
    return others.length > 0 ? { type: 'choice', sessions } : openSession(session)
  })
}

/** Reads a session. */
export function openSession({ path, read }: FoundSession): Opened {
  return guarded(() => shown(path, read()))
}

/** Opens a text that was pasted or dropped: a share link, or the text of a session. */
export async function openText(text: string): Promise<Opened> {
  const address = text.trim()
  if (!/^[a-z]+:\S+$/i.test(address)) return guarded(() => shown('Pasted text', readText(text)))
  try {
    const state = await sessionInLink(address)
    if (state) return shown('Shared session', { state, issues: [] })
  } catch {
    return problem('The share link is damaged: copy the whole address.')
  }
  return problem(
    `This page opens no connection, so it cannot load ${address}: open it, save it as a file, and drop the file here.`,
  )
}

/** A session without a block is most often a file of another kind. */
function shown(path: string, { state, issues }: ReadSession): Opened {
  const name = showControls(path)
  const { blocks, subagents } = state
  if (blocks.length === 0 && subagents.length === 0) return problem(`${name} has no message yet.`)
  return { type: 'session', name, session: { state: withShownDirections(state), issues } }
}

/** Returns the state with a sign in place of each mark of a direction, as the pages of a server and a report have it. */
function withShownDirections(state: SessionConversationState): SessionConversationState {
  const json = JSON.stringify(snapshot({ epoch: 'site', seq: 0, state }))
  const text = showDirections(json)
  return text === json ? state : restore(JSON.parse(text)).state
}

/** A report of `agentfold show --html` has its session with it, without any `<`. The page reads this data, and runs nothing of the report. */
const REPORT_DATA = /<script type="application\/json" id="session">([^<]*)<\/script>/

function openReport(name: string, html: string): Opened {
  const state = stateOf(REPORT_DATA.exec(html)?.[1] ?? '')
  return state
    ? shown(name, { state, issues: [] })
    : problem(`${showControls(name)} is a page, but no report of agentfold.`)
}

function stateOf(json: string): SessionConversationState | undefined {
  try {
    return restore(JSON.parse(json)).state
  } catch {
    return undefined
  }
}

const UNKNOWN =
  'No program that agentfold knows wrote this. It reads streams, session files and exports of the programs below.'

function guarded(open: () => Opened): Opened {
  try {
    return open()
  } catch (error) {
    if (!(error instanceof TranscriptError)) throw error
    return problem(error.code === 'not-a-transcript' || error.code === 'no-session' ? UNKNOWN : error.message)
  }
}

/** Returns the first screen with a problem. */
export function problem(text: string): Opened {
  return { type: 'start', problem: text }
}
