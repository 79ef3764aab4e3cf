import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { renderReplay } from '../../src/cli/tree-text.ts'
import { fileChanges, TranscriptError } from '../../src/entries/index.ts'
import { toMarkdown } from '../../src/entries/markdown.ts'
import { type ListIssue, listSessions, readSession } from '../../src/entries/node.ts'
import { compareSessions } from '../../src/entries/parity.ts'
import type { Source } from '../../src/entries/source-kit.ts'
import { checkJoin, LawError } from '../../src/entries/testing.ts'
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
import { anySpoiler, spoilerOf, stateOf } from './spoil.ts'

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
const ONE_FORM_EACH: ReadonlySet<string> = new Set(['pi', 'copilot', 'gemini', 'kimi', ...STEP_WIRES])

const sessions = [
  ...allRecordings.map(({ name, stream, disk }) => {
    const parts = { live: messagesIn(stream), stored: messagesIn(disk.main) }
    return [
      name,
      (spoil: (value: unknown) => unknown, gap: number) =>
        expectUsable(claudeSource, { ...parts, spoil, gap }),
    ] as const
  }),
  ...opencodeRecordings.map(({ name, events, disk }) => {
    const stored = [disk.main, ...disk.subagents.map(({ transcript }) => transcript)]
    const parts = { live: messagesIn(events), stored: stored.map((text): unknown => JSON.parse(text)) }
    return [
      `OpenCode ${name}`,
      (spoil: (value: unknown) => unknown, gap: number) =>
        expectUsable(opencodeSource, { ...parts, spoil, gap }),
    ] as const
  }),
  ...codexRecordings.flatMap(({ name, exec, app }) =>
    [exec, app].flatMap((run, at) => {
      if (!run) return []
      const { disk, live } = run
      const stored = [disk.main, ...disk.subagents.map(({ transcript }) => transcript)]
      const parts = { live: messagesIn(live), stored: stored.flatMap(messagesIn) }
      return [
        [
          `Codex ${name}, run ${at}`,
          (spoil: (value: unknown) => unknown, gap: number) =>
            expectUsable(codexSource, { ...parts, spoil, gap }),
        ] as const,
      ]
    }),
  ),
  ...acpRecordings.map(({ name, live, load }) => {
    const parts = { live: messagesIn(live), stored: messagesIn(load) }
    return [
      `ACP ${name}`,
      (spoil: (value: unknown) => unknown, gap: number) => expectUsable(acpSource, { ...parts, spoil, gap }),
    ] as const
  }),
  ...inputs.flatMap(({ name, architecture, source, messages }) => {
    if (!ONE_FORM_EACH.has(architecture)) return []
    const parts = { live: messages, stored: messages }
    return [
      [
        name,
        (spoil: (value: unknown) => unknown, gap: number) => expectUsable(source, { ...parts, spoil, gap }),
      ] as const,
    ]
  }),
]

it.each(sessions)(
  '%s: fields of a wrong kind leave a session that can be read, shown and compared',
  (_, check) => {
    fc.assert(
      fc.property(anySpoiler, fc.nat({ max: 8 }), (spoil, gap) => check(spoil, gap)),
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
