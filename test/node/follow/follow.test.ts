import { appendFile, mkdir, readdir, readFile, rename, rm, truncate, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { reduceSessionEvents } from '../../../src/core/reducer/reduce.ts'
import {
  createInitialConversationState,
  type SessionConversationState,
  TranscriptError,
} from '../../../src/entries/index.ts'
import {
  type FollowIssue,
  type FollowOptions,
  type FollowUpdate,
  followSession,
  readSession,
} from '../../../src/entries/node.ts'
import { opencodeFolder } from '../../checks/parity/sessions.ts'
import {
  assistantMessage,
  modelLaunches,
  modelSays,
  text,
  toText,
  userMessage,
} from '../../wires/claude/messages.ts'
import { recording } from '../../wires/recordings.ts'
import { endedState, inNewFolder, storedSession, writeSession } from './growing-session.ts'

const FAST = { pollMs: 20 }

const line = (id: string, content: string) =>
  toText([
    assistantMessage(id, text(content), {
      uuid: `${id}-uuid`,
      timestamp: `2026-01-01T00:00:0${id.length}.000Z`,
    }),
  ])

const textsOf = ({ state }: FollowUpdate) =>
  state.blocks.flatMap((block) => (block.type === 'assistant_text' ? [block.content] : []))

/** The last update, with the events of all updates folded as a consumer folds them. */
interface Collected {
  readonly update: FollowUpdate
  readonly folded: SessionConversationState
  readonly reasons: readonly string[]
}

/** Follows until an update passes the check. How many updates there are depends on the system. */
async function collect(
  updates: AsyncIterator<FollowUpdate>,
  isWanted: (update: FollowUpdate) => boolean | Promise<boolean>,
  start: SessionConversationState = createInitialConversationState(),
): Promise<Collected> {
  const reasons: string[] = []
  let folded = start
  for (;;) {
    const { value, done } = await updates.next()
    if (done) throw new Error('the updates have ended')
    const restart = value.issues.find((issue: FollowIssue) => issue.code === 'restarted')
    if (restart && 'reason' in restart) reasons.push(restart.reason)
    folded = reduceSessionEvents(restart ? createInitialConversationState() : folded, value.events)
    expect(folded).toEqual(value.state)
    if (await isWanted(value)) return { update: value, folded, reasons }
  }
}

async function until(...args: Parameters<typeof collect>): Promise<FollowUpdate> {
  return (await collect(...args)).update
}

const following = (path: string, options: FollowOptions = {}) =>
  followSession(path, { ...FAST, ...options })[Symbol.asyncIterator]()

describe('followSession', () => {
  // Up to 2.0.77, an agent's file is beside the session, and only the result of a call names the agent.
  it('shows the lines of a running agent as its own file grows, before the result of its call', () =>
    inNewFolder(async (folder) => {
      const facts = { sessionId: 's1', cwd: '/srv/demo', version: '2.0.77', isSidechain: false }
      const at = (second: number) => ({ timestamp: `2026-01-01T00:00:0${second}.000Z`, uuid: `u${second}` })
      const call = modelLaunches('m1', 't1', { prompt: 'Look.' })
      const main = [
        { ...userMessage('Go.'), ...at(0) },
        { ...call, ...at(1) },
      ]
      // Only a stream has the snake case fields.
      const lines = (messages: readonly object[]) =>
        toText(messages.map((each) => ({ ...each, session_id: undefined, parent_tool_use_id: undefined })))
      const ofAgent = { ...facts, isSidechain: true, agentId: 'a9a57a7' }
      const path = join(folder, 's1.jsonl')
      const agentPath = join(folder, 'agent-a9a57a7.jsonl')
      await writeFile(path, lines(main.map((each) => ({ ...each, ...facts }))))
      await writeFile(agentPath, lines([{ ...userMessage('Look.'), ...at(2), ...ofAgent }]))
      const updates = following(path)
      const agentTexts = ({ state }: FollowUpdate) => state.subagents.flatMap(({ blocks }) => blocks.length)
      const before = await until(updates, (update) => agentTexts(update).join() === '1')
      await appendFile(agentPath, lines([{ ...modelSays('s1', 'I look.'), ...at(3), ...ofAgent }]))
      const { state } = await until(updates, (update) => agentTexts(update).join() === '2', before.state)
      expect(state.subagents).toMatchObject([{ toolUseId: 't1', agentId: 'a9a57a7', status: 'running' }])
      await updates.return?.()
    }))

  it('yields the state first, then what is new', () =>
    inNewFolder(async (folder) => {
      const path = join(folder, 's1.jsonl')
      await writeFile(path, line('m1', 'One.'))
      const updates = following(path)
      const first = await updates.next()
      expect(textsOf(first.value)).toEqual(['One.'])
      await appendFile(path, line('m22', 'Two.'))
      const second = await until(updates, (update) => textsOf(update).length === 2, first.value.state)
      expect(second.events.filter(({ type }) => type === 'block:upsert')).toHaveLength(1)
      expect(second.state).toEqual(reduceSessionEvents(first.value.state, second.events))
      await updates.return?.()
    }))

  it('waits for the other half of a line and of a character', () =>
    inNewFolder(async (folder) => {
      const path = join(folder, 's1.jsonl')
      const bytes = Buffer.from(line('m22', 'Tee mit Süße ☕'))
      await writeFile(path, line('m1', 'One.'))
      const updates = following(path)
      const first = await updates.next()
      const cuts = [0, 10, bytes.indexOf('☕') + 1, bytes.length]
      for (const [at, cut] of cuts.entries()) await appendFile(path, bytes.subarray(cuts[at - 1] ?? 0, cut))
      const update = await until(updates, (each) => textsOf(each).length === 2, first.value.state)
      expect(textsOf(update)).toEqual(['One.', 'Tee mit Süße ☕'])
      expect(update.issues).toEqual([])
      await updates.return?.()
    }))

  it('follows the files of subagents that appear later', () =>
    inNewFolder(async (folder) => {
      const stored = storedSession(recording('06-nested-forward'))
      const path = join(folder, stored.path)
      await mkdir(dirname(path), { recursive: true })
      await writeFile(path, stored.files[stored.path] ?? '')
      const updates = following(path)
      const first = await updates.next()
      expect(
        first.value.state.subagents.some((agent: { blocks: unknown[] }) => agent.blocks.length > 1),
      ).toBe(false)
      await writeSession(folder, stored)
      const whole = (await readSession(path)).state
      const update = await until(
        updates,
        async (each) => JSON.stringify(await endedState(each.saveProgress())) === JSON.stringify(whole),
        first.value.state,
      )
      expect(update.state.subagents.length).toBeGreaterThan(1)
      await updates.return?.()
    }))

  it.each<[string, (path: string) => Promise<void>]>([
    ['is shorter', (path) => truncate(path, 0).then(() => writeFile(path, line('n1', 'New.')))],
    ['has other content', (path) => writeFile(path, line('n1', 'New.') + line('n22', 'x'.repeat(2000)))],
    [
      'is another one with the same name',
      async (path) => {
        await writeFile(`${path}.new`, line('n1', 'New.') + line('n22', 'x'.repeat(2000)))
        await rename(`${path}.new`, path)
      },
    ],
    ['was removed and written again', (path) => rm(path).then(() => writeFile(path, line('n1', 'New.')))],
  ])('begins again and reports it if the file %s', (_, change) =>
    inNewFolder(async (folder) => {
      const path = join(folder, 's1.jsonl')
      await writeFile(path, line('m1', 'One.') + line('m22', 'Two.'))
      const updates = following(path)
      const first = await updates.next()
      await change(path)
      const { state } = await readSession(path)
      const isWhole = (each: FollowUpdate) =>
        each.state.blocks.length === state.blocks.length && textsOf(each)[0] === 'New.'
      const { update, reasons } = await collect(updates, isWhole, first.value.state)
      expect(reasons).not.toEqual([])
      expect(await endedState(update.saveProgress())).toEqual(state)
      await updates.return?.()
    }),
  )

  it('gives a slow consumer the newest state and every event', () =>
    inNewFolder(async (folder) => {
      const path = join(folder, 's1.jsonl')
      await writeFile(path, line('m1', 'One.'))
      const updates = following(path)
      const { state } = (await updates.next()).value
      for (const [at, id] of ['m22', 'm333', 'm4444'].entries())
        await appendFile(path, line(id, `Text ${at}.`))
      const { folded, update } = await collect(updates, (each) => textsOf(each).length === 4, state)
      expect(folded).toEqual(update.state)
      await updates.return?.()
    }))

  it('ends at the abort, while it waits and before it begins', () =>
    inNewFolder(async (folder) => {
      const path = join(folder, 's1.jsonl')
      await writeFile(path, line('m1', 'One.'))
      const controller = new AbortController()
      const updates = following(path, { signal: controller.signal, pollMs: 1e6 })
      await updates.next()
      const waiting = updates.next()
      controller.abort()
      expect((await waiting).done).toBe(true)
      expect((await following(path, { signal: controller.signal }).next()).done).toBe(true)
    }))

  it('ends at return, also while it waits', () =>
    inNewFolder(async (folder) => {
      const path = join(folder, 's1.jsonl')
      await writeFile(path, line('m1', 'One.'))
      const updates = following(path, { pollMs: 1e6 })
      await updates.next()
      const waiting = updates.next()
      await updates.return?.()
      expect((await waiting).done).toBe(true)
    }))

  it('refuses a path without a file, and waits for the file if asked', () =>
    inNewFolder(async (folder) => {
      const path = join(folder, 'later', 's1.jsonl')
      const refused = await following(path)
        .next()
        .catch((error: unknown) => error)
      expect(refused).toBeInstanceOf(TranscriptError)
      expect(refused).toMatchObject({ code: 'no-such-file', path })
      const updates = following(path, { awaitFile: true })
      expect((await updates.next()).value.state).toEqual(createInitialConversationState())
      await mkdir(dirname(path))
      await writeFile(path, line('m1', 'One.'))
      expect(textsOf(await until(updates, (each) => textsOf(each).length > 0))).toEqual(['One.'])
      await updates.return?.()
    }))

  it('follows exports that the program writes again as a whole', () =>
    inNewFolder(async (folder) => {
      const exported = join(opencodeFolder, '09-multi-turn', 'export')
      const [name = ''] = await readdir(exported)
      const whole = JSON.parse(await readFile(join(exported, name), 'utf8'))
      const path = join(folder, name)
      await writeFile(path, JSON.stringify({ ...whole, messages: whole.messages.slice(0, 2) }))
      const updates = following(path)
      const first = await updates.next()
      await writeFile(path, JSON.stringify(whole))
      const { state } = await readSession(path)
      const { update } = await collect(
        updates,
        (each) => each.state.blocks.length === state.blocks.length,
        first.value.state,
      )
      expect(update.state).toEqual(state)
      expect(update.issues).toEqual([])
      await updates.return?.()
    }))
})

describe('a saved progress', () => {
  it('continues with what is new', () =>
    inNewFolder(async (folder) => {
      const path = join(folder, 's1.jsonl')
      await writeFile(path, line('m1', 'One.') + line('m22', 'Two.').slice(0, 30))
      const updates = following(path)
      const first: FollowUpdate = (await updates.next()).value
      await updates.return?.()
      const saved = JSON.parse(JSON.stringify(first.saveProgress()))
      await appendFile(path, line('m22', 'Two.').slice(30))
      const resumed = following(path, { resume: saved })
      const next: FollowUpdate = (await resumed.next()).value
      expect(textsOf(next)).toEqual(['One.', 'Two.'])
      expect(next.events.filter(({ type }) => type === 'block:upsert')).toHaveLength(1)
      expect(next.issues).toEqual([])
      expect(next.state).toEqual(reduceSessionEvents(first.state, next.events))
      await resumed.return?.()
    }))

  it('of a session with subagents continues at every cut', () =>
    inNewFolder(async (folder) => {
      const stored = storedSession(recording('07-background'))
      const path = await writeSession(folder, stored)
      const bytes = stored.files[stored.path] ?? Buffer.alloc(0)
      for (const part of [0.3, 0.6, 0.9]) {
        await writeFile(path, bytes.subarray(0, Math.floor(part * bytes.length)))
        const updates = following(path)
        const { value } = await updates.next()
        await updates.return?.()
        await writeFile(path, bytes)
        const resumed = following(path, { resume: JSON.parse(JSON.stringify(value.saveProgress())) })
        const next: FollowUpdate = (await resumed.next()).value
        expect(await endedState(next.saveProgress())).toEqual((await readSession(path)).state)
        await resumed.return?.()
      }
    }))

  it.each<[string, (path: string) => Promise<void>]>([
    ['a shorter file', (path) => writeFile(path, line('n1', 'N.'))],
    [
      'a file with another beginning',
      (path) => writeFile(path, line('n1', 'N.') + line('m22', 'x'.repeat(999))),
    ],
  ])('begins again with an issue for %s', (_, change) =>
    inNewFolder(async (folder) => {
      const path = join(folder, 's1.jsonl')
      await writeFile(path, line('m1', 'One.') + line('m333', 'Two.'))
      const updates = following(path)
      const { value } = await updates.next()
      await updates.return?.()
      await change(path)
      const resumed = following(path, { resume: value.saveProgress() })
      const next: FollowUpdate = (await resumed.next()).value
      expect(next.issues).toMatchObject([{ code: 'restarted', path }])
      expect(next.state).toEqual(reduceSessionEvents(createInitialConversationState(), next.events))
      expect(textsOf(next)[0]).toBe('N.')
      await resumed.return?.()
    }),
  )

  it('of another kind begins again with an issue', () =>
    inNewFolder(async (folder) => {
      const path = join(folder, 's1.jsonl')
      await writeFile(path, toText([userMessage('Hi.', { uuid: 'u1' })]) + line('m1', 'One.'))
      for (const resume of [null, 1, {}, { version: 99 }, { version: 1, architecture: 'claude-sdk' }]) {
        const resumed = following(path, { resume })
        const { value } = await resumed.next()
        expect(value.issues).toMatchObject([{ code: 'restarted', reason: 'unusable-progress' }])
        await resumed.return?.()
      }
    }))
})
