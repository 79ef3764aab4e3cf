import fs from 'node:fs'
import { link, writeFile } from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { expect, it, vi } from 'vitest'
import {
  type ListOptions,
  listSessions,
  openSessionIndex,
  type SessionSummary,
} from '../../src/entries/node.ts'
import { assistantMessage, text, toText, userMessage } from '../wires/claude/messages.ts'
import { inNewFolder } from './follow/growing-session.ts'
import { file } from './opencode-storage.ts'

const time = '2026-01-01T00:00:01.000Z'
const session = (id: string, prompt: string) =>
  toText([
    { ...userMessage(prompt, { uuid: `${id}-u` }), sessionId: id, cwd: '/srv/demo', timestamp: time },
    { ...assistantMessage(`${id}-m`, text('Hi.'), { uuid: `${id}-a` }), sessionId: id, timestamp: time },
  ])

async function list(options: ListOptions): Promise<readonly SessionSummary[]> {
  const summaries: SessionSummary[] = []
  for await (const each of listSessions(options)) summaries.push(each)
  return summaries
}

// It counts all reads of the process, so it has one of its own.
it('reads no more than the ends of 300 files', () =>
  inNewFolder(async (home) => {
    const path = await file(join(home, '.claude', 'projects', 'a', 's.jsonl'), session('s', 'Hi'))
    const padding = `${JSON.stringify({ type: 'progress', data: 'x'.repeat(1000) })}\n`.repeat(400)
    await writeFile(path, session('s', 'Hi') + padding + session('s', 'Bye'))
    for (let at = 1; at < 300; at += 1)
      await link(path, join(home, '.claude', 'projects', 'a', `s${at}.jsonl`))
    const read = vi.spyOn(fs, 'readSync')
    syncBuiltinESMExports()
    const bytes = () => read.mock.calls.reduce((sum, call: readonly unknown[]) => sum + Number(call[3]), 0)
    expect(await list({ home, limit: 1 })).toHaveLength(1)
    // The order needs the last lines of each file. The summary reads them again.
    const lastLines = 300 * 8192
    expect(bytes()).toBeGreaterThan(0)
    expect(bytes()).toBeLessThanOrEqual(lastLines + 2 * 65_536)
    read.mockClear()
    expect(await list({ home })).toHaveLength(300)
    expect(bytes()).toBeLessThanOrEqual(lastLines + 300 * 2 * 65_536)
  }))

it('reads a file of many chats about once for all of them', () =>
  inNewFolder(async (home) => {
    const read = vi.spyOn(fs, 'readSync')
    syncBuiltinESMExports()
    const chat = (_: unknown, at: number) =>
      `# aider chat started at 2026-01-01 10:00:${10 + at}\n\n#### Go.  \n\n${'Some words.\n'.repeat(2000)}`
    const bytes = async (count: number) => {
      await writeFile(join(home, '.aider.chat.history.md'), Array.from({ length: count }, chat).join('\n'))
      read.mockClear()
      const index = await openSessionIndex({ home, path: false })
      expect(await index.count()).toBe(count)
      expect(await list({ home })).toHaveLength(count)
      await index.close()
      return read.mock.results.reduce((sum, { value }) => sum + value, 0)
    }
    const [few, many] = [await bytes(10), await bytes(40)]
    expect(many).toBeLessThan(8 * few)
  }))
