import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Architecture } from '../../src/entries/index.ts'
import { depth } from '../depth.ts'
import * as codex from '../wires/codex/recordings.ts'
import * as opencode from '../wires/opencode/recordings.ts'
import * as claude from '../wires/recordings.ts'
import {
  type BothForms,
  bothFormsFaults,
  type FormsOrder,
  outputFaults,
  sessionsWithBothForms,
} from './both-forms.ts'
import { recordedForms } from './recordings.ts'

const FIXTURES = join(import.meta.dirname, '../../fixtures')

/** The folders of recordings with `facts.json`. The others have readers of their own. */
const folders = readdirSync(FIXTURES).filter((name) => !/^(?:identity|reports|public)$|\.\w+$/.test(name))

/** Every recorded session that has a stream and files of one wire. */
const sessions: readonly BothForms[] = [
  ...folders.flatMap((folder) =>
    sessionsWithBothForms([...recordedForms(join(FIXTURES, folder))]).map((pair) => ({
      ...pair,
      name: `${folder}/${pair.name}`,
    })),
  ),
  ...claude.allRecordings.map(({ name, stream, disk }) => ({
    name: `${name} of Claude Code`,
    architecture: 'claude-sdk' as const,
    live: stream,
    stored: disk,
  })),
  ...sessionsWithBothForms([...recordedForms(join(FIXTURES, 'laws/codex/undo'))]).map((pair) => ({
    ...pair,
    name: 'a revert of Codex, without what its client says',
    live: String(pair.live).replaceAll(/^\{"dir":"out".*\n/gm, ''),
  })),
  ...codex.recordings.map(({ name, app }) => ({
    name: `${name} of Codex, app-server`,
    architecture: 'codex' as const,
    live: app.live,
    stored: app.disk,
  })),
  ...opencode.recordings.map(({ name, events, disk }) => ({
    name: `${name} of OpenCode`,
    architecture: 'opencode' as const,
    live: events,
    stored: disk,
  })),
]

/** The streams that do not show which of their messages the files have. docs/reopening.md names each kind. */
const WITHOUT_PLACE: readonly RegExp[] = [
  // `codex exec` numbers the items of each process from 0.
  /^laws\/codex\/(?:mixed-|elsewhere)/,
  // The lines of `grok -p` have no ids and no prompt.
  /^grok\/.*stream$/,
  // The answer to a rewind has no number, so one that comes again takes the next prompt back.
  /^grok\/15e-rewind/,
  // The lines of `kimi -p` have no ids. A second process says few words.
  /^laws\/kimi\/15-resume/,
  // The stream has a fork or a branch of the session in the files.
  /^interactive\/codex-tui\/22-fork/,
  /^laws\/pi\/0.74-15-fork/,
  /^copilot\/15e-rewind, rpc-store/,
  // The files have the agent of an undone turn without its call, and the stream removes that call.
  /^laws\/opencode\/undo/,
  // A person takes turns back that the migrated file lacks, and the stream begins with the request for it.
  /^interactive\/codex-tui\/36-migrated/,
]

const isPlaced = ({ name }: BothForms) => !WITHOUT_PLACE.some((pattern) => pattern.test(name))

describe.each(sessions.filter(isPlaced))('$name', (pair) => {
  it.each<FormsOrder>(['the files, then the stream', 'the stream, then the files'])(
    'has the list of the files, in their order, and nothing twice: %s',
    (order) => {
      expect(bothFormsFaults(pair, order, depth({ few: 1, all: 6 }))).toEqual([])
    },
  )
})

describe.each(sessions.filter((pair) => !isPlaced(pair)))('$name', (pair) => {
  it('has the list of the files, in their order, and nothing twice, if the stream has ended', () => {
    expect(bothFormsFaults(pair, 'the files, after the whole stream', 1)).toEqual([])
  })
})

/** The streams of these programs lack the outputs of some agents. */
const WITHOUT_OUTPUTS: readonly Architecture[] = ['acp', 'gemini', 'kimi', 'qwen']

// The files of OpenCode have lost the call of an undone agent, which had its report.
it.each(sessions.filter(({ name }) => !name.startsWith('laws/opencode/undo')))(
  '$name: an agent has one output',
  (pair) => {
    expect(outputFaults(pair, WITHOUT_OUTPUTS.includes(pair.architecture))).toEqual([])
  },
)

it('has sessions of each wire with both forms', () => {
  expect(new Set(sessions.map(({ architecture }) => architecture)).size).toBeGreaterThan(9)
})
