import { appendFile, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { SessionConversationState } from '../../../src/entries/index.ts'
import { followSession, readSession } from '../../../src/entries/node.ts'
import type { StepWire } from '../../../src/programs/program.ts'
import { agentfold } from '../../cli/terminal.ts'
import { inNewFolder } from '../../node/follow/growing-session.ts'
import { withSqlite } from '../../node/sqlite.ts'
import { STEP_PROGRAMS, type StepProgram } from './programs.ts'
import { writeStore } from './write-store.ts'

/** Runs a test on a machine with the session. */
const onMachine = ({ stored }: StepProgram, run: (home: string) => Promise<void>) =>
  inNewFolder(async (home) => {
    await writeStore(home, stored)
    await withSqlite(true, () => run(home))
  })

function programOf(wire: StepWire): StepProgram {
  const found = STEP_PROGRAMS.find(({ architecture }) => architecture === wire)
  if (!found) throw new RangeError(wire)
  return found
}

/** Follows a session that grows once, and returns what is shown of the state before and after. */
async function followed(
  path: string,
  grow: () => Promise<void>,
  shownOf: (state: SessionConversationState) => unknown,
): Promise<readonly unknown[]> {
  const stop = new AbortController()
  const seen: unknown[] = []
  for await (const { state } of followSession(path, { pollMs: 20, signal: stop.signal })) {
    seen.push([state.turn.status, shownOf(state)])
    if (seen.length === 1) await grow()
    else stop.abort()
  }
  return seen
}

describe.each(STEP_PROGRAMS)('a session of $architecture', (own) => {
  const { architecture: program, stored } = own
  const { session, words, prompt } = stored

  it('is listed, shown and found by its words', () =>
    onMachine(own, async (home) => {
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
    onMachine(own, async (home) => {
      const path = join(home, session)
      const { code, err } = await agentfold(['continue', path, '--in', 'claude-code', '--cwd', home], {
        home,
      })
      expect([code, err]).toEqual([0, ''])
      const found = await agentfold(['search', words, '--json'], { home })
      expect(found.out).toContain('.claude/projects')
    }))
})

it('follows agents whose files are in folders of their own', () =>
  inNewFolder(async (home) => {
    await writeStore(home, { ...programOf('antigravity').stored, from: 'antigravity/01-agents/store' })
    const logs = 'brain/00000000-0000-4000-8000-000000000920/.system_generated/logs'
    const path = join(home, '.gemini/antigravity-cli', logs, 'transcript.jsonl')
    const lines = (await readFile(path, 'utf8')).split('\n')
    await writeFile(path, `${lines.slice(0, 8).join('\n')}\n`)
    const grow = () => appendFile(path, lines.slice(8).join('\n'))
    const agents = ({ subagents }: SessionConversationState) =>
      subagents.map(({ status, blocks }) => `${status} ${blocks.length}`)
    expect(await followed(path, grow, agents)).toEqual([
      ['running', []],
      ['finished', ['success 4', 'success 4']],
    ])
  }))

it('follows an agent whose call has no result yet', async () => {
  const own = programOf('droid')
  await onMachine(own, async (home) => {
    const path = join(home, own.stored.session)
    const lines = (await readFile(path, 'utf8')).split('\n')
    const call = lines.findIndex((line) => line.includes('"tool_use"'))
    await writeFile(path, `${lines.slice(0, call + 1).join('\n')}\n`)
    const grow = () => appendFile(path, lines.slice(call + 1).join('\n'))
    const agents = ({ subagents }: SessionConversationState) =>
      subagents.map(({ status, blocks, usage }) => [status, blocks.length, usage.length])
    expect(await followed(path, grow, agents)).toEqual([
      ['running', [['success', 7, 1]]],
      ['finished', [['success', 7, 1]]],
    ])
  })
})

it('follows a session that its program writes anew', async () => {
  const own = programOf('continue')
  await onMachine(own, async (home) => {
    const path = join(home, own.stored.session)
    const whole = JSON.parse(await readFile(path, 'utf8'))
    const write = (count: number) =>
      writeFile(path, JSON.stringify({ ...whole, history: whole.history.slice(0, count) }, null, 2))
    await write(2)
    const grow = () => write(whole.history.length)
    expect(await followed(path, grow, ({ blocks }) => blocks.length)).toEqual([
      ['running', 3],
      ['finished', 9],
    ])
  })
})

it('reads the facts beside a session', async () => {
  for (const program of ['kiro', 'vibe'] as const) {
    const own = programOf(program)
    await onMachine(own, async (home) => {
      const { state, issues } = await readSession(join(home, own.stored.session))
      expect(issues).toEqual([])
      expect(state.session).toMatchObject({ program, cwd: '/srv/demo' })
      expect(state.session.id).toMatch(/^00000000-/)
      expect(state.session.model).toMatch(/^(?:auto|devstral-small)$/)
    })
  }
})
