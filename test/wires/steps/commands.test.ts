import { appendFile, cp, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { followSession, readSession } from '../../../src/entries/node.ts'
import { agentfold } from '../../cli/terminal.ts'
import { inNewFolder } from '../../node/follow/growing-session.ts'
import { withSqlite, writeRows } from '../../node/sqlite.ts'

interface Stored {
  readonly program: string
  /** The recording's store, and the folder for it below a home folder. */
  readonly store: readonly [from: string, to: string]
  /** The session below the home folder. */
  readonly session: string
  /** Words of the model, and the person's first words. */
  readonly words: string
  readonly prompt: string
}

const UUID = (number: number) => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`

const ANTIGRAVITY: Stored = {
  program: 'antigravity',
  store: ['antigravity/01-agents/store', '.gemini/antigravity-cli'],
  session: `.gemini/antigravity-cli/brain/${UUID(920)}/.system_generated/logs/transcript.jsonl`,
  words: 'Three mills and no ladders.',
  prompt: 'Make a file and count.',
}

const SESSIONS: readonly Stored[] = [
  {
    program: 'kiro',
    store: ['kiro/01-tools/store', '.kiro'],
    session: `.kiro/sessions/cli/${UUID(900)}.jsonl`,
    words: 'stands beside the gate',
    prompt: 'Light the lantern beside the gate.',
  },
  {
    program: 'vibe',
    store: ['vibe/01-agent/store', '.vibe'],
    session: '.vibe/logs/session/session_20261125_094639_00000000/messages.jsonl',
    words: 'The lamp is mended.',
    prompt: 'Mend the lamp.',
  },
  ANTIGRAVITY,
  {
    program: 'aider',
    store: ['aider/01-edits/store', '.'],
    session: '.aider.chat.history.md#2026-11-25T09:46:39',
    words: 'Because you asked.',
    prompt: 'Write the sum.\nAnd keep it short.',
  },
  {
    program: 'continue',
    store: ['continue/02-edit/store/.continue', '.continue'],
    session: '.continue/sessions/9a883eef-411c-4591-8fe9-ee5e33548752.json',
    words: 'Both files are changed.',
    prompt: 'Change some files.',
  },
  {
    program: 'droid',
    store: ['droid/03-agent/store/.factory', '.factory'],
    session: '.factory/sessions/-srv-demo/790d4f95-3acb-453b-aeb5-f40d3a1ffe94.jsonl',
    words: 'REPORT-A: there are two lines.',
    prompt: 'Let an agent look at the notes.',
  },
  {
    program: 'hermes',
    store: ['hermes/01-tools', '.hermes/state.db'],
    session: '.hermes/state.db#20261125_094639_abc123',
    words: 'Three mills, no ladder.',
    prompt: 'Count with care.',
  },
]

/** Runs a test on a machine with the session. */
const onMachine = ({ program, store: [from, to] }: Stored, run: (home: string) => Promise<void>) =>
  inNewFolder(async (home) => {
    if (program === 'hermes') await writeRows(join(home, to), from)
    else await cp(join(import.meta.dirname, '../../../fixtures', from), join(home, to), { recursive: true })
    await withSqlite(true, () => run(home))
  })

describe.each(SESSIONS)('a session of $program', (stored) => {
  const { program, session, words, prompt } = stored

  it('is listed, shown and found by its words', () =>
    onMachine(stored, async (home) => {
      const listed = await agentfold(['list', '--all', '--json'], { home })
      const rows = listed.out
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line))
      const path = join(home, session)
      expect(rows.find((row) => row.path === path)).toMatchObject({ program, firstPrompt: prompt })
      const shown = await agentfold(['show', path], { home })
      expect([shown.code, shown.err]).toEqual([0, ''])
      expect(shown.out).toContain(words)
      const found = await agentfold(['search', words], { home })
      expect(found.out).toContain(words)
    }))

  it('goes on in another program', () =>
    onMachine(stored, async (home) => {
      const path = join(home, session)
      const { code, err } = await agentfold(['continue', path, '--in', 'claude-code', '--cwd', '/srv/demo'], {
        home,
      })
      expect([code, err]).toEqual([0, ''])
      const found = await agentfold(['search', words, '--json'], { home })
      expect(found.out).toContain('.claude/projects')
    }))
})

it('follows agents whose files are in folders of their own', () =>
  onMachine(ANTIGRAVITY, async (home) => {
    const path = join(home, ANTIGRAVITY.session)
    const lines = (await readFile(path, 'utf8')).split('\n')
    await writeFile(path, `${lines.slice(0, 8).join('\n')}\n`)
    const stop = new AbortController()
    const seen: unknown[] = []
    for await (const { state } of followSession(path, { pollMs: 20, signal: stop.signal })) {
      seen.push([state.turn.status, state.subagents.map(({ status, blocks }) => [status, blocks.length])])
      if (seen.length === 1) await appendFile(path, lines.slice(8).join('\n'))
      else stop.abort()
    }
    expect(seen).toEqual([
      ['running', []],
      [
        'finished',
        [
          ['success', 4],
          ['success', 4],
        ],
      ],
    ])
  }))

it('follows an agent whose call has no result yet', async () => {
  const stored = SESSIONS.find(({ program }) => program === 'droid')
  if (!stored) throw new RangeError('droid')
  await onMachine(stored, async (home) => {
    const path = join(home, stored.session)
    const lines = (await readFile(path, 'utf8')).split('\n')
    const call = lines.findIndex((line) => line.includes('"tool_use"'))
    await writeFile(path, `${lines.slice(0, call + 1).join('\n')}\n`)
    const stop = new AbortController()
    const seen: unknown[] = []
    for await (const { state } of followSession(path, { pollMs: 20, signal: stop.signal })) {
      const agents = state.subagents.map(({ status, blocks, usage }) => [status, blocks.length, usage.length])
      seen.push([state.turn.status, agents])
      if (seen.length === 1) await appendFile(path, lines.slice(call + 1).join('\n'))
      else stop.abort()
    }
    expect(seen).toEqual([
      ['running', [['success', 7, 1]]],
      ['finished', [['success', 7, 1]]],
    ])
  })
})

it('follows a session that its program writes anew', async () => {
  const stored = SESSIONS.find(({ program }) => program === 'continue')
  if (!stored) throw new RangeError('continue')
  await onMachine(stored, async (home) => {
    const path = join(home, stored.session)
    const whole = JSON.parse(await readFile(path, 'utf8'))
    const write = (count: number) =>
      writeFile(path, JSON.stringify({ ...whole, history: whole.history.slice(0, count) }, null, 2))
    await write(2)
    const stop = new AbortController()
    const seen: unknown[] = []
    for await (const { state } of followSession(path, { pollMs: 20, signal: stop.signal })) {
      seen.push([state.turn.status, state.blocks.length])
      if (seen.length === 1) await write(whole.history.length)
      else stop.abort()
    }
    expect(seen).toEqual([
      ['running', 3],
      ['finished', 9],
    ])
  })
})

it('reads the facts beside a session', async () => {
  const [kiro, vibe] = SESSIONS
  for (const stored of [kiro, vibe])
    if (stored)
      await onMachine(stored, async (home) => {
        const { state, issues } = await readSession(join(home, stored.session))
        expect(issues).toEqual([])
        expect(state.session).toMatchObject({ program: stored.program, cwd: '/srv/demo' })
        expect(state.session.id).toMatch(/^00000000-/)
        expect(state.session.model).toMatch(/^(?:auto|devstral-small)$/)
      })
})
