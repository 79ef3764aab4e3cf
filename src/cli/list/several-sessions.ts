import { relative } from 'node:path'
import type { TranscriptError } from '../../formats/combined.ts'
import { sessionsAt } from '../../node/list/list-sessions.ts'
import { NAMED_SESSIONS } from '../../node/read/stored-session.ts'
import { oneLine } from '../terminal/text.ts'
import { titleOf } from './summary-text.ts'

/** Returns the message about a path with several sessions: below it, the newest ones are a line each. The first path is the newest one. */
export async function sessionChoices(
  { path = '' }: TranscriptError,
  sessions: readonly string[],
): Promise<string> {
  const named = await sessionsAt(sessions.slice(0, NAMED_SESSIONS))
  const lines = named.map((session) => [session.id, titleOf(session), relative(path, session.path)])
  const others = sessions.length - named.length
  return [
    oneLine(`${path}: several sessions, choose one:`),
    ...lines.map((facts) => `  ${facts.map((fact) => oneLine(fact)).join(' · ')}`),
    ...(others > 0 ? [`  and ${others} older: see agentfold list`] : []),
  ].join('\n')
}
