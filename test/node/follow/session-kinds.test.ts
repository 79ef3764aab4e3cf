import { appendFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createInitialConversationState } from '../../../src/entries/index.ts'
import {
  type FollowIssue,
  type FollowOptions,
  type FollowUpdate,
  followSession,
  readSession,
} from '../../../src/entries/node.ts'
import { assistantMessage, text, toText } from '../../wires/claude/messages.ts'
import { recording } from '../../wires/recordings.ts'
import { exported, file, writeStorage } from '../opencode-storage.ts'
import { endedState, inNewFolder, storedSession, writeSession } from './growing-session.ts'

const following = (path: string, options: FollowOptions = {}) =>
  followSession(path, { pollMs: 20, ...options })[Symbol.asyncIterator]()

type Updates = ReturnType<typeof following>

/** Reads updates until one passes the check, and returns it with the reasons of all restarts. */
async function until(
  updates: Updates,
  isWanted: (update: FollowUpdate) => boolean,
): Promise<FollowUpdate & { readonly reasons: readonly string[] }> {
  const reasons: string[] = []
  for (;;) {
    const { value, done } = await updates.next()
    if (done) throw new Error('the updates have ended')
    for (const issue of value.issues as readonly FollowIssue[])
      if (issue.code === 'restarted') reasons.push(issue.reason)
    if (isWanted(value)) return { ...value, reasons }
  }
}

const line = (id: string, content: string) =>
  toText([assistantMessage(id, text(content), { uuid: `${id}-uuid`, timestamp: '2026-01-01T00:00:01.000Z' })])

const textsOf = ({ state }: Pick<FollowUpdate, 'state'>) =>
  state.blocks.flatMap((block) => (block.type === 'assistant_text' ? [block.content] : []))

/** The export of a session without subagents, with its first messages. */
function exportWith(count?: number): string {
  const [whole] = exported('09-multi-turn')
  if (!whole) throw new Error('the recording has an export')
  return JSON.stringify({ ...whole, messages: whole.messages.slice(0, count) })
}

describe('a folder', () => {
  it('with one session is followed, and begins again if a file of a subagent is removed', () =>
    inNewFolder(async (folder) => {
      const stored = storedSession(recording('06-nested-forward'))
      const path = await writeSession(folder, stored)
      const updates = following(folder)
      const first: FollowUpdate = (await updates.next()).value
      expect(await endedState(first.saveProgress())).toEqual((await readSession(folder)).state)
      const gone = Object.keys(stored.files).find((each) => each !== stored.path && each.endsWith('.jsonl'))
      await rm(join(folder, gone ?? ''))
      const { reasons, state } = await until(updates, (update) => update.issues.length > 0)
      expect(reasons).toEqual(['removed'])
      expect(state).not.toEqual(first.state)
      await appendFile(path, line('m1', 'More.'))
      expect(textsOf(await until(updates, (each) => textsOf(each).includes('More.')))).toContain('More.')
      await updates.return?.()
    }))

  it('stays with its session if another one begins', () =>
    inNewFolder(async (folder) => {
      const path = await file(join(folder, 's1.jsonl'), line('m1', 'One.'))
      const updates = following(folder)
      await updates.next()
      await writeFile(join(folder, 's2.jsonl'), line('m2', 'Other.'))
      await appendFile(path, line('m3', 'Two.'))
      expect(textsOf(await until(updates, (each) => textsOf(each).length > 1))).toEqual(['One.', 'Two.'])
      await updates.return?.()
      await expect(following(folder).next()).rejects.toMatchObject({ code: 'several-sessions', path: folder })
    }))
})

describe('an export', () => {
  it('that is half written gives its content as soon as it is whole', () =>
    inNewFolder(async (folder) => {
      const whole = exportWith()
      const path = await file(join(folder, 'export.json'), whole.slice(0, whole.length / 2))
      const updates = following(path)
      expect((await updates.next()).value.state).toEqual(createInitialConversationState())
      await writeFile(path, whole)
      const update = await until(updates, ({ state }) => state.blocks.length > 0)
      expect(update.state).toEqual((await readSession(path)).state)
      await writeFile(path, whole.slice(0, whole.length / 2))
      await writeFile(path, exportWith(2))
      const shorter = (await readSession(path)).state
      const again = await until(updates, ({ state }) => state.blocks.length === shorter.blocks.length)
      expect(again).toMatchObject({ state: shorter, reasons: ['rewritten'] })
      await updates.return?.()
    }))

  it('goes on from a saved place', () =>
    inNewFolder(async (folder) => {
      const path = await file(join(folder, 'export.json'), exportWith(2))
      const updates = following(path)
      const first: FollowUpdate = (await updates.next()).value
      await updates.return?.()
      const saved: unknown = JSON.parse(JSON.stringify(first.saveProgress()))
      await writeFile(path, exportWith())
      const resumed = following(path, { resume: saved })
      const next: FollowUpdate = (await resumed.next()).value
      expect(next.state).toEqual((await readSession(path)).state)
      expect(next.events.length).toBeGreaterThan(0)
      expect(next.issues).toEqual([])
      await resumed.return?.()
    }))

  it('that lines of another program replace begins again', () =>
    inNewFolder(async (folder) => {
      const path = await file(join(folder, 'session.json'), exportWith())
      const updates = following(path)
      await updates.next()
      await writeFile(path, line('m1', 'One.') + line('m2', 'Two.'))
      const { reasons, state } = await until(updates, (update) => textsOf(update).includes('Two.'))
      expect(reasons).toEqual(['replaced'])
      expect(textsOf({ state })).toEqual(['One.', 'Two.'])
      await updates.return?.()
    }))
})

describe('a session of OpenCode with a file per message', () => {
  it('grows with its files, and ignores foreign ones', () =>
    inNewFolder(async (home) => {
      const name = '09-multi-turn'
      const root = await writeStorage(home, name)
      const [whole] = exported(name)
      const last = whole?.messages.at(-1)
      if (!whole || !last) throw new Error('the recording has messages')
      const path = join(root, 'session', 'global', `${whole.info.id}.json`)
      const lastPath = join(root, 'message', whole.info.id, `${last.info.id}.json`)
      await rm(lastPath)
      await writeFile(join(dirname(lastPath), 'notes.txt'), 'x')
      await writeFile(join(dirname(lastPath), 'broken.json'), '[1')
      const updates = following(path)
      const first: FollowUpdate = (await updates.next()).value
      await writeFile(lastPath, JSON.stringify(last.info))
      const { state, reasons } = await until(
        updates,
        (update) => update.state.blocks.length > first.state.blocks.length,
      )
      expect(reasons).toEqual([])
      expect(state).toEqual((await readSession(path)).state)
      await updates.return?.()
    }))

  it('whose file has no session of that name is read as any file', () =>
    inNewFolder(async (home) => {
      const path = join(home, 'storage', 'session', 'global', 'ses_1.json')
      await file(path, JSON.stringify({ id: 'ses_2' }))
      await expect(readSession(path)).rejects.toMatchObject({ code: 'not-a-transcript' })
    }))
})

describe('a file', () => {
  it('of unknown lines is followed until a line shows the format', () =>
    inNewFolder(async (folder) => {
      const path = await file(join(folder, 's1.jsonl'), '{"hello":"world"}\n')
      const updates = following(path)
      const first: FollowUpdate = (await updates.next()).value
      expect(first.state).toEqual(createInitialConversationState())
      expect(first.saveProgress()).toBeUndefined()
      await appendFile(path, line('m1', 'One.'))
      expect(textsOf(await until(updates, (update) => textsOf(update).length > 0))).toEqual(['One.'])
      await updates.return?.()
    }))

  it('of unknown lines can be refused, with the error of a reading', () =>
    inNewFolder(async (folder) => {
      const path = await file(join(folder, 's1.jsonl'), '{"hello":"world"}\n{"half":')
      const errorOf = (reading: Promise<unknown>) =>
        reading.then(
          () => undefined,
          ({ message }) => message,
        )
      const refused = await errorOf(following(path, { refuseUnknown: true }).next())
      expect(refused).toContain('not a transcript: no known program wrote it (2 lines read)')
      expect(refused).toBe(await errorOf(readSession(path)))
    }))

  // Each poll read the whole file again, because the reading of the lines succeeded.
  it('of lines that a reading ignores is followed, although unknown lines are refused', () =>
    inNewFolder(async (folder) => {
      const path = await file(join(folder, 's1.jsonl'), '{"type":"summary","summary":"Tea","leafUuid":"u"}\n')
      const updates = following(path, { refuseUnknown: true })
      const first: FollowUpdate = (await updates.next()).value
      expect(first.state).toEqual(createInitialConversationState())
      expect(first.saveProgress()).toBeDefined()
      await appendFile(path, line('m1', 'One.'))
      expect(textsOf(await until(updates, (update) => textsOf(update).length > 0))).toEqual(['One.'])
      await updates.return?.()
    }))

  it('of one value that a reading ignores is followed', () =>
    inNewFolder(async (folder) => {
      const path = await file(
        join(folder, 's1.json'),
        '[{"type":"summary","summary":"Tea","leafUuid":"u"}]\n',
      )
      const updates = following(path, { refuseUnknown: true })
      expect((await updates.next()).value.state).toEqual(createInitialConversationState())
      await writeFile(path, line('m1', 'One.'))
      expect(textsOf(await until(updates, (update) => textsOf(update).length > 0))).toEqual(['One.'])
      await updates.return?.()
    }))

  it('whose name the system refuses is an error with the path', async () => {
    const path = join('/', 'x'.repeat(300))
    await expect(following(path).next()).rejects.toMatchObject({ code: 'unreadable', path })
    await expect(following(path, { awaitFile: true }).next()).rejects.toMatchObject({ code: 'unreadable' })
  })
})
