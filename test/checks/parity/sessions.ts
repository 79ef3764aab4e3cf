import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseTranscript, type SessionConversationState } from '../../../src/entries/index.ts'
import { compareSessions, type SessionComparison, type Side } from '../../../src/entries/parity.ts'
import { opencodeTranscript } from '../../../src/wires/opencode/files/session-files.ts'
import { recordings as codexRecordings, replay as replayCodex } from '../../wires/codex/recordings.ts'
import {
  earlierRecordings,
  type Recording,
  recordings,
  replay,
  requestRecordings,
} from '../../wires/recordings.ts'

/** One recorded session: the states of its stream and of its stored files. */
export interface Session {
  readonly name: string
  readonly live: SessionConversationState
  readonly stored: SessionConversationState
}

/** A session of Claude Code, with the options that decide the content of its stream. */
export interface ClaudeSession extends Session, Pick<Recording, 'isForwarding' | 'isReplaying'> {}

const ofClaude = ({ name, stream, disk, isForwarding, isReplaying }: Recording): ClaudeSession => ({
  name,
  live: replay(stream).state,
  stored: replay(disk).state,
  isForwarding,
  isReplaying,
})

export const claudeSessions: readonly ClaudeSession[] = recordings.map(ofClaude)
export const earlierSessions: readonly ClaudeSession[] = earlierRecordings.map(ofClaude)
export const requestSessions: readonly ClaudeSession[] = requestRecordings.map(ofClaude)

const opencodeFolderOf = (name: string) =>
  fileURLToPath(new URL(`../../../fixtures/${name}/`, import.meta.url))
export const opencodeFolder: string = opencodeFolderOf('opencode')
const requestsFolder = opencodeFolderOf('opencode-requests')
const opencodeNames = readdirSync(opencodeFolder).sort()
const requestNames = readdirSync(requestsFolder).sort()
const folderOf = (name: string) => (requestNames.includes(name) ? requestsFolder : opencodeFolder)
/** Returns the text of a recording's file. */
export const textOf = (name: string, ...path: readonly string[]): string =>
  readFileSync(join(folderOf(name), name, ...path), 'utf8')

/** The texts of a recording's exports, by name. */
export function exportsOf(name: string): Readonly<Record<string, string>> {
  return Object.fromEntries(
    readdirSync(join(folderOf(name), name, 'export')).map((file) => [file, textOf(name, 'export', file)]),
  )
}

/** The bus, and the exports of main and its subagents. */
export const busSessions: readonly Session[] = [...opencodeNames, ...requestNames].map((name) => ({
  name,
  live: parseTranscript('opencode', textOf(name, 'events.ndjson')),
  stored: parseTranscript('opencode', opencodeTranscript(exportsOf(name))),
}))

/** The lines of a separate `opencode run --format json`, and the export of its session. */
export const runSessions: readonly Session[] = opencodeNames
  .filter((name) => existsSync(join(opencodeFolder, name, 'standalone.ndjson')))
  .map((name) => ({
    name: `${name} by itself`,
    live: parseTranscript('opencode', textOf(name, 'standalone.ndjson')),
    stored: parseTranscript('opencode', textOf(name, 'standalone-export.json')),
  }))

/** The app-server of Codex, and the rollouts of the same run. Both have the same ids. */
export const codexSessions: readonly Session[] = codexRecordings
  .filter(({ version }) => version === '0.169.0')
  .map(({ name, app }) => ({
    name: `codex ${name}`,
    live: replayCodex(app.live).state,
    stored: replayCodex(app.disk).state,
  }))

/** The forms of Codex with ids of their own: `codex exec`, and versions whose files have no ids of messages. */
export const alignedSessions: readonly Session[] = codexRecordings.flatMap(({ name, version, exec, app }) => [
  ...(exec
    ? [{ name: `exec ${name}`, live: replayCodex(exec.live).state, stored: replayCodex(exec.disk).state }]
    : []),
  ...(version === '0.104.0'
    ? [{ name: `codex ${name}`, live: replayCodex(app.live).state, stored: replayCodex(app.disk).state }]
    : []),
])

export const allSessions: readonly Session[] = [
  ...claudeSessions,
  ...earlierSessions,
  ...requestSessions,
  ...busSessions,
  ...runSessions,
]

export const compare = ({ live, stored }: Session): SessionComparison => compareSessions(live, stored)

/** The excluded kinds, each with the side that has the content. */
export const excludedKinds = ({ excluded }: SessionComparison): readonly string[] =>
  excluded.map(({ side, kind }) => `${side} ${kind}`).sort()

export const otherSide = (side: Side): Side => (side === 'live' ? 'stored' : 'live')
