import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { renderReplay } from '../../src/cli/tree-text.ts'
import { toAtif } from '../../src/entries/atif.ts'
import {
  fileChanges,
  parseSessionEvent,
  type SessionConversationState,
  TranscriptError,
} from '../../src/entries/index.ts'
import { toMarkdown } from '../../src/entries/markdown.ts'
import { type ListIssue, listSessions, readSession } from '../../src/entries/node.ts'
import { compareSessions } from '../../src/entries/parity.ts'
import type { CombinedTranscript, Source } from '../../src/entries/source-kit.ts'
import { checkJoin, LawError } from '../../src/entries/testing.ts'
import { writablePrograms, writeSession } from '../../src/entries/writers.ts'
import { acpSource } from '../../src/wires/acp/source.ts'
import { claudeSource } from '../../src/wires/claude/source.ts'
import { codexSource } from '../../src/wires/codex/source.ts'
import { opencodeSource } from '../../src/wires/opencode/source.ts'
import { STEP_WIRES } from '../laws/steps-forms.ts'
import { inNewFolder } from '../node/follow/growing-session.ts'
import { recordings as acpRecordings } from './acp/recordings.ts'
import { recordings as codexRecordings } from './codex/recordings.ts'
import { inputs } from './inputs.ts'
import { recordings as opencodeRecordings } from './opencode/recordings.ts'
import { allRecordings, messagesIn } from './recordings.ts'
import { reloaded } from './saved.ts'

const WRONG: readonly unknown[] = [null, 7, 'x', '', true, [], {}, [null], [7], { type: 'x' }, -1]

/** Returns a function that copies values. In a copy, about one value of so many is another one. */
function spoilerOf(start: number, rarity: number): (value: unknown) => unknown {
  let state = start
  const next = (bound: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31
    return (state >> 4) % bound
  }
  const spoil = (value: unknown): unknown => {
    if (next(rarity) === 0) return WRONG[next(WRONG.length)]
    if (Array.isArray(value)) return value.map(spoil)
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, spoil(item)]))
  }
  return spoil
}

/** A function that spoils values, rarely or often. */
const anySpoiler: fc.Arbitrary<(value: unknown) => unknown> = fc
  .tuple(fc.nat({ max: 2 ** 30 }), fc.constantFrom(20, 60, 200))
  .map(([start, rarity]) => spoilerOf(start, rarity))

/** Reads the messages, also from the saved session and from the state alone, and returns the state. */
function stateOf(source: Source, messages: readonly unknown[]): SessionConversationState {
  const { session, events } = source.read(source.open(), messages)
  const end = source.end(reloaded(source, session))
  const { state } = end.session
  const again = source.read(source.open(state), messages)
  for (const event of [...events, ...end.events, ...again.events])
    expect(parseSessionEvent(event)).toEqual({ ok: true, event })
  return state
}

/** Leaves out each message after so many. */
function withGaps(messages: readonly unknown[], gap: number): readonly unknown[] {
  return gap === 0 ? messages : messages.filter((_, at) => at % (gap + 2) !== gap)
}

interface Spoiling {
  readonly live: readonly unknown[]
  readonly stored: readonly unknown[]
  readonly spoil: (value: unknown) => unknown
  readonly gap: number
}

function expectUsable(source: Source, { live, stored, spoil, gap }: Spoiling): void {
  const spoiledLive = withGaps(live.map(spoil), gap)
  const spoiledStored = withGaps(stored.map(spoil), gap)
  const state = stateOf(source, spoiledLive)
  const fromFiles = stateOf(source, spoiledStored)
  for (const each of [state, fromFiles]) {
    expect(toMarkdown(each)).toMatch(/^# /)
    const view = { isStyled: true, columns: 80 }
    expect(renderReplay({ state: each, issues: [], ending: 'open' }, view)).toContain('main')
    toAtif(each)
    for (const program of writablePrograms()) writeSession(each, { program, cwd: '/srv/demo' })
    for (const { added, removed } of fileChanges(each)) expect(added + removed).toBeGreaterThanOrEqual(0)
  }
  expect(compareSessions(state, state).differences).toEqual([])
  expect(compareSessions(state, fromFiles).differences).toBeInstanceOf(Array)
  try {
    checkJoin(source, { history: spoiledStored, live: spoiledLive, cuts: [live.length >> 1] })
  } catch (error) {
    expect(error).toBeInstanceOf(LawError)
  }
}

/** The wires of which each form of a recording is an input of its own. */
const ONE_FORM_EACH: ReadonlySet<string> = new Set([
  ...['pi', 'copilot', 'gemini', 'kimi', 'qwen', 'cline'],
  ...STEP_WIRES,
])

type Sides = readonly [name: string, source: Source, live: readonly unknown[], stored: readonly unknown[]]

const textsIn = ({ main, subagents }: CombinedTranscript) => [
  main,
  ...subagents.map(({ transcript }) => transcript),
]

const sessions: readonly Sides[] = [
  ...allRecordings.map(
    ({ name, stream, disk }): Sides => [name, claudeSource, messagesIn(stream), messagesIn(disk.main)],
  ),
  ...opencodeRecordings.map(({ name, events, disk }): Sides => {
    const stored = textsIn(disk).map((text): unknown => JSON.parse(text))
    return [`OpenCode ${name}`, opencodeSource, messagesIn(events), stored]
  }),
  ...codexRecordings.flatMap(({ name, exec, app }) =>
    [exec, app].flatMap((run, at): readonly Sides[] =>
      run
        ? [
            [
              `Codex ${name}, run ${at}`,
              codexSource,
              messagesIn(run.live),
              textsIn(run.disk).flatMap(messagesIn),
            ],
          ]
        : [],
    ),
  ),
  ...acpRecordings.map(
    ({ name, live, load }): Sides => [`ACP ${name}`, acpSource, messagesIn(live), messagesIn(load)],
  ),
  ...inputs
    .filter(({ architecture }) => ONE_FORM_EACH.has(architecture))
    .map(({ name, source, messages }): Sides => [name, source, messages, messages]),
]

it.each(sessions)(
  '%s: fields of a wrong kind leave a session that can be read, shown, compared and handed over',
  (_, source, live, stored) => {
    fc.assert(
      fc.property(anySpoiler, fc.nat({ max: 8 }), (spoil, gap) =>
        expectUsable(source, { live, stored, spoil, gap }),
      ),
      { numRuns: 1 },
    )
  },
)

it('files with fields of a wrong kind are listed, and read or refused', () =>
  inNewFolder(async (home) => {
    const spoil = spoilerOf(7, 60)
    const lines = (text: string) =>
      messagesIn(text)
        .map((message) => `${JSON.stringify(spoil(message))}\n`)
        .join('')
    const paths: string[] = []
    for (const [at, { disk }] of allRecordings.entries()) {
      const path = join(home, '.claude', 'projects', `p${at % 5}`, `s${at}.jsonl`)
      await mkdir(dirname(path), { recursive: true })
      await writeFile(path, lines(disk.main))
      paths.push(path)
    }
    for (const [at, { disk }] of opencodeRecordings.entries()) {
      const path = join(home, `export${at}.json`)
      await writeFile(path, JSON.stringify(spoil(JSON.parse(disk.main))))
      paths.push(path)
    }
    for (const [at, { app }] of codexRecordings.entries()) {
      const path = join(home, `rollout-2026-11-22T17-00-00-${at}.jsonl`)
      await writeFile(path, lines(app.disk.main))
      paths.push(path)
    }
    const issues: ListIssue[] = []
    let listed = 0
    for await (const { path } of listSessions({ roots: [home], onIssue: (issue) => issues.push(issue) })) {
      expect(paths).toContain(path)
      listed += 1
    }
    expect(listed).toBeGreaterThan(allRecordings.length / 2)
    for (const path of paths) {
      const reading = await readSession(path).catch((error: unknown) => error)
      if (reading instanceof Error) expect(reading).toBeInstanceOf(TranscriptError)
      else expect(reading).toHaveProperty('state')
    }
  }))
