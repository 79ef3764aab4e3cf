import { appendFile, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { parseTranscript } from '../../../src/entries/index.ts'
import { followSession, listSessions, readSession, type SessionSummary } from '../../../src/entries/node.ts'
import { agentfold } from '../../cli/terminal.ts'
import { inNewFolder } from '../../node/follow/growing-session.ts'

const NAME = '.aider.chat.history.md'
const CHATS = ['01-edits', '02-stops'].map((name) =>
  join(import.meta.dirname, `../../../fixtures/aider/${name}/store/${NAME}`),
)

/** Runs a test in a folder with a file of two chats. */
const withChats = (run: (path: string, folder: string) => Promise<void>): Promise<void> =>
  inNewFolder(async (folder) => {
    const texts = await Promise.all(CHATS.map((path) => readFile(path, 'utf8')))
    const path = join(folder, NAME)
    await writeFile(path, texts.join('\n'))
    await run(path, folder)
  })

it('lists each chat of a file as a session', () =>
  withChats(async (path, folder) => {
    const found: SessionSummary[] = []
    for await (const each of listSessions({ roots: [folder] })) found.push(each)
    expect(found.map((each) => [each.path, each.firstPrompt, each.cwd])).toEqual([
      [`${path}#2026-11-25T10:00:00`, 'Tell a long tale.', folder],
      [`${path}#2026-11-25T09:46:39`, 'Write the sum.\nAnd keep it short.', folder],
    ])
  }))

it('reads each chat alone, and asks for one if there are several', () =>
  withChats(async (path) => {
    const first = await readSession(`${path}#2026-11-25T09:46:39`)
    const second = await readSession(`${path}#2026-11-25T10:00:00`)
    expect([first.state.turn.status, second.state.turn.status]).toEqual(['finished', 'failed'])
    await expect(readSession(path)).rejects.toMatchObject({ code: 'several-sessions' })
  }))

it.each(['--json', '--no-index', 'folder'])('finds a text in one of the chats: %s', (option) =>
  withChats(async (_, home) => {
    const place = option === 'folder' ? home : option
    const { code, out, err } = await agentfold(['search', 'keep it short', place], { home })
    expect({ code, err }).toEqual({ code: 0, err: '' })
    expect(out).toContain('2026-11-25T09:46:39')
  }),
)

it('reads the first chat of a text, and reports the other one', async () => {
  const texts = await Promise.all(CHATS.map((path) => readFile(path, 'utf8')))
  const both = parseTranscript(texts.join('\n'))
  expect(both.blocks.length).toBe(parseTranscript(texts[0] ?? '').blocks.length)
})

it('follows the last chat while it grows', () =>
  withChats(async (path) => {
    const stop = new AbortController()
    const statuses: string[] = []
    const updates = followSession(`${path}#2026-11-25T10:00:00`, { pollMs: 20, signal: stop.signal })
    for await (const { state } of updates) {
      statuses.push(state.turn.status)
      if (statuses.length === 1) await appendFile(path, '\n#### Once more.  \n')
      if (statuses.length === 2) await appendFile(path, '\nMore.\n\n> Tokens: 8 sent, 1 received.  \n')
      if (statuses.length === 3) stop.abort()
    }
    expect(statuses).toEqual(['failed', 'running', 'finished'])
  }))

it('knows the shape of a path that is no chat', () =>
  withChats(async (path) => {
    await expect(readSession(`${path}#2026-01-01T00:00:00`)).rejects.toMatchObject({ code: 'no-such-file' })
  }))

it('shows no stopped turn of Aider, whose program is interrupted while it waits', () => {
  const chat = '# aider chat started at 2026-11-25 10:46:40\n'
  const { turn } = parseTranscript('aider', `${chat}\n\n> ^C again to exit  \n> ^C KeyboardInterrupt  \n`)
  expect(turn.status).toBe('idle')
})
