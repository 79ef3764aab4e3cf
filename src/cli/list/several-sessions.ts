import { relative } from 'node:path'
import { sessionsAt } from '../../node/list/list-sessions.ts'
import { NAMED_SESSIONS } from '../../node/read/read-session.ts'
import { severalSessionsText, type TranscriptError } from '../../reading/input/combined.ts'
import { oneLine } from '../terminal/text.ts'
import { titleOf } from './summary-text.ts'

/**
 * Returns the message about a path with several sessions: below it, the newest ones are a line each. The first path
 * is the newest one. A session without a summary is its path alone.
 */
export async function sessionChoices(
  { path = '' }: TranscriptError,
  sessions: readonly string[],
): Promise<string> {
  const named = sessions.slice(0, NAMED_SESSIONS)
  const summaries = new Map((await sessionsAt(named)).map((summary) => [summary.path, summary]))
  const lines = named.map((each) => {
    const summary = summaries.get(each)
    return summary ? [summary.id, titleOf(summary), relative(path, each)] : [each]
  })
  const older = sessions.length - named.length
  const text = severalSessionsText(
    lines.map((facts) => facts.map((fact) => oneLine(fact)).join(' · ')),
    older,
  )
  return `${oneLine(path)}: ${text}${older > 0 ? ': see agentfold list' : ''}`
}
