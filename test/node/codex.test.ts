import { appendFile, mkdir, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { followSession, listSessions, readSession, type SessionSummary } from '../../src/entries/node.ts'
import { recording, replay } from '../wires/codex/recordings.ts'
import { inNewFolder } from './follow/growing-session.ts'

const nested = recording('11-nested-v1').app
const plain = recording('01-plain-text').app
const claudePrompt = { type: 'user', uuid: 'u1', sessionId: 's', message: { role: 'user', content: 'Hi.' } }

const nameOf = (files: Readonly<Record<string, string>>, isMain: boolean): string => {
  const paths = Object.keys(files).sort()
  const parentOf = (path: string) => /"parent_thread_id":"/.test((files[path] ?? '').split('\n')[0] ?? '')
  return paths.find((path) => parentOf(path) !== isMain) ?? ''
}

async function writeFiles(home: string): Promise<string> {
  const day = join(home, '.codex', 'sessions', '2026', '11', '22')
  await mkdir(day, { recursive: true })
  for (const [path, text] of [...Object.entries(nested.files), ...Object.entries(plain.files)])
    await writeFile(join(day, basename(path)), text)
  return day
}

it('lists the sessions of Codex with their agents, and no agent’s file', () =>
  inNewFolder(async (home) => {
    await writeFiles(home)
    const found: SessionSummary[] = []
    for await (const summary of listSessions({ home })) found.push(summary)
    expect(
      found.map(({ format, firstPrompt, agents, model, cwd, tokens }) => ({
        format,
        firstPrompt,
        agents,
        model,
        cwd,
        tokens,
      })),
    ).toEqual(
      expect.arrayContaining([
        {
          format: 'codex',
          firstPrompt: 'Check the docs through a coordinator.',
          agents: 2,
          model: 'gpt-5-codex',
          cwd: '/srv/demo',
          tokens: expect.objectContaining({ inputTokens: 303, outputTokens: 60 }),
        },
      ]),
    )
    expect(found).toHaveLength(2)
    for (const { startedAt, updatedAt, id } of found) {
      expect(startedAt).toMatch(/^2026-11-22T/)
      expect(updatedAt).toMatch(/^2026-11-22T/)
      expect(id).toMatch(/^01a2/)
    }
  }))

it('reads a rollout with the rollouts of its agents beside it, and none of other sessions', () =>
  inNewFolder(async (home) => {
    const day = await writeFiles(home)
    const { state, issues, ending } = await readSession(join(day, basename(nameOf(nested.files, true))))
    expect(issues).toEqual([])
    expect(ending).toBe('finished')
    expect(state).toEqual(replay(nested.disk).state)
  }))

it('reads an agent’s rollout alone as a session of its own', () =>
  inNewFolder(async (home) => {
    const [agent] = Object.entries(nested.files).filter(([, text]) =>
      /"depth":2/.test(text.split('\n')[0] ?? ''),
    )
    const path = join(home, basename(agent?.[0] ?? ''))
    await writeFile(path, agent?.[1] ?? '')
    const { state } = await readSession(path)
    expect(state.blocks.at(-1)).toMatchObject({ content: 'INNER-REPORT: "A tiny project."' })
  }))

it('refuses a folder with the sessions of two programs', () =>
  inNewFolder(async (home) => {
    for (const [path, text] of Object.entries(nested.files)) await writeFile(join(home, basename(path)), text)
    await writeFile(join(home, 's.jsonl'), `${JSON.stringify(claudePrompt)}\n`)
    await expect(readSession(home)).rejects.toMatchObject({ code: 'several-sessions' })
  }))

it('reads a folder with one session, and names several', () =>
  inNewFolder(async (home) => {
    const day = await writeFiles(home)
    await expect(readSession(day)).rejects.toMatchObject({ code: 'several-sessions' })
    const alone = join(home, 'alone')
    await mkdir(alone)
    for (const [path, text] of Object.entries(nested.files))
      await writeFile(join(alone, basename(path)), text)
    expect((await readSession(alone)).state).toEqual(replay(nested.disk).state)
  }))

it('follows a rollout that grows, and the agents that start beside it', () =>
  inNewFolder(async (home) => {
    const main = nameOf(nested.files, true)
    const day = join(home, basename(dirname(main)))
    await mkdir(day)
    const target = join(day, basename(main))
    const lines = (nested.files[main] ?? '').split('\n')
    await writeFile(target, `${lines.slice(0, 9).join('\n')}\n`)
    const controller = new AbortController()
    const seen: number[] = []
    for await (const { state } of followSession(target, { signal: controller.signal })) {
      seen.push(state.subagents.length)
      if (seen.length === 1) {
        for (const [path, text] of Object.entries(nested.files))
          if (path !== main) await writeFile(join(day, basename(path)), text)
        await appendFile(target, lines.slice(9).join('\n'))
      }
      const isWhole =
        state.turn.status === 'finished' && state.subagents.every(({ status }) => status === 'success')
      if (!isWhole || state.subagents.length < 2) continue
      expect(state.blocks).toEqual(replay(nested.disk).state.blocks)
      controller.abort()
    }
    expect(seen[0]).toBe(0)
    expect(seen.at(-1)).toBe(2)
  }))
