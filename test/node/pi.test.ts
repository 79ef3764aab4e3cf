import { appendFile, cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { followSession, listSessions, readSession, type SessionSummary } from '../../src/entries/node.ts'
import { inNewFolder } from './follow/growing-session.ts'

const FIXTURES = join(import.meta.dirname, '../../fixtures/pi')
const STORED: readonly string[] = ['10-subagent-fails', '15b-tree', 'omp-06-subagent']

/** Makes a home folder with the sessions of three recordings. */
async function makeHome(home: string): Promise<void> {
  for (const name of STORED) await cp(join(FIXTURES, name, 'store'), home, { recursive: true })
}

it('lists the sessions of Pi and Oh My Pi once, with their programs and agents', () =>
  inNewFolder(async (home) => {
    await makeHome(home)
    const found: SessionSummary[] = []
    for await (const summary of listSessions({ home })) found.push(summary)
    const facts = found.map(({ program, title, firstPrompt, agents }) => ({
      program,
      title,
      firstPrompt,
      agents,
    }))
    expect(facts).toHaveLength(3)
    expect(facts).toEqual(
      expect.arrayContaining([
        { program: 'pi', title: undefined, firstPrompt: 'Try the helpers.', agents: 4 },
        { program: 'pi', title: 'Travel plans', firstPrompt: 'Make a plan.', agents: 0 },
        { program: 'oh-my-pi', title: undefined, firstPrompt: 'How long are they?', agents: 1 },
      ]),
    )
  }))

it('reads a session with the files of its agents', () =>
  inNewFolder(async (home) => {
    await makeHome(home)
    const folder = join(home, '.omp/agent/sessions/--srv-demo--')
    const name = (await readdir(folder)).find((each) => each.endsWith('.jsonl')) ?? ''
    const { state, issues } = await readSession(join(folder, name))
    expect(issues).toEqual([])
    expect(state.subagents).toMatchObject([{ agentId: 'Measurer', name: 'task', status: 'success' }])
    expect(state.subagents[0]?.blocks.length).toBeGreaterThan(4)
    expect((await readSession(folder)).state).toEqual(state)
  }))

it('follows a session, and an agent whose file appears later', () =>
  inNewFolder(async (home) => {
    const source = join(FIXTURES, 'omp-06-subagent/store/.omp/agent/sessions/--srv-demo--')
    const name = (await readdir(source)).find((each) => each.endsWith('.jsonl')) ?? ''
    const stored = await readFile(join(source, name), 'utf8')
    const agent = await readFile(join(source, name.replace('.jsonl', ''), 'Measurer.jsonl'), 'utf8')
    const lines = stored.trim().split('\n')
    const path = join(home, name)
    await writeFile(path, `${lines.slice(0, 8).join('\n')}\n`)
    const updates = followSession(path, { pollMs: 20 })[Symbol.asyncIterator]()
    expect((await updates.next()).value.state.subagents).toMatchObject([{ status: 'running' }])
    await mkdir(path.replace('.jsonl', ''))
    await writeFile(join(path.replace('.jsonl', ''), 'Measurer.jsonl'), agent)
    await appendFile(path, `${lines.slice(8).join('\n')}\n`)
    for (;;) {
      const { state } = (await updates.next()).value
      const [found] = state.subagents
      if (
        found?.status === 'success' &&
        found.blocks.length > 4 &&
        state.blocks.at(-1)?.type === 'assistant_text'
      )
        break
    }
    await updates.return?.()
  }))
