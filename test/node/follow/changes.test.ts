import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { FSWatcher } from 'chokidar'
import { expect, it, vi } from 'vitest'
import { type FollowUpdate, followSession } from '../../../src/entries/node.ts'
import { FileChanges } from '../../../src/node/follow/follow-session.ts'
import { GrowingFile } from '../../../src/node/follow/growing-file.ts'
import { modelSays, toText } from '../../wires/claude/messages.ts'
import { file } from '../opencode-storage.ts'
import { inNewFolder } from './growing-session.ts'

/** Changes with a watcher of which the test sends the events. A real one fails only where the system has no watches left. */
function changesOf(controller = new AbortController()) {
  const watcher = new FSWatcher()
  const watched: (string | readonly string[])[] = []
  vi.spyOn(watcher, 'add').mockImplementation((paths) => {
    watched.push(paths)
    return watcher
  })
  const changes = new FileChanges(1e6, controller.signal, (paths) => watcher.add(paths))
  return { watcher, changes, watched }
}

/** Whether a promise is over after all that does not wait for a change. */
async function isOver(waiting: Promise<void>): Promise<boolean> {
  let over = false
  void waiting.then(() => {
    over = true
  })
  await setImmediate()
  return over
}

it('watches each path once', () => {
  const { changes, watched } = changesOf()
  changes.watch(['a', 'b'])
  changes.watch(['b'])
  changes.watch(['b', 'c'])
  expect(watched).toEqual([['a', 'b'], ['c']])
})

it('waits for a change, and not if one has come since the last reading', async () => {
  const { watcher, changes } = changesOf()
  changes.watch(['a'])
  const waiting = changes.next()
  expect(await isOver(waiting)).toBe(false)
  watcher.emit('all', 'change', 'a')
  expect(await isOver(waiting)).toBe(true)
  expect(await isOver(changes.next())).toBe(true)
  changes.clear()
  const again = changes.next()
  expect(await isOver(again)).toBe(false)
  watcher.emit('ready')
  expect(await isOver(again)).toBe(true)
})

// The watcher removes its listeners when it closes, and an error without one ended the process.
it('ignores an error that the watcher has after its end', async () => {
  const { watcher, changes } = changesOf()
  changes.watch(['a'])
  await changes.close()
  expect(() => watcher.emit('error', new Error('late'))).not.toThrow()
})

it('does not wait after an abort', async () => {
  const controller = new AbortController()
  const { changes } = changesOf(controller)
  controller.abort()
  expect(await isOver(changes.next())).toBe(true)
})

it('gives the reason why the system cannot watch, once', () => {
  const { watcher, changes } = changesOf()
  changes.watch(['a'])
  expect(changes.takeFailure()).toBeUndefined()
  watcher.emit('error', new Error('no watches left'))
  expect(changes.takeFailure()).toBe('no watches left')
  watcher.emit('error', 'no watches at all')
  expect(changes.takeFailure()).toBe('no watches at all')
  expect(changes.takeFailure()).toBeUndefined()
})

it('a session whose files cannot be watched is followed by the poll, with an issue', () =>
  inNewFolder(async (folder) => {
    const lines = (...ids: string[]) => toText(ids.map((id) => modelSays(id, id, { uuid: id })))
    const path = await file(`${folder}/s1.jsonl`, lines('m1'))
    const failure = vi.spyOn(FileChanges.prototype, 'takeFailure').mockReturnValueOnce('no watches left')
    const updates = followSession(path, { pollMs: 20 })[Symbol.asyncIterator]()
    expect((await updates.next()).value.issues).toEqual([{ code: 'watch-failed', reason: 'no watches left' }])
    failure.mockReturnValueOnce('no watches at all')
    const second: FollowUpdate = (await updates.next()).value
    expect(second).toMatchObject({
      events: [],
      issues: [{ code: 'watch-failed', reason: 'no watches at all' }],
    })
    failure.mockRestore()
    await file(path, lines('m1', 'm2'))
    expect((await updates.next()).value.state.blocks).toHaveLength(2)
    await updates.return?.()
  }))

// The reading took the stamp of the new content, so no later look noticed that it was another file.
it.each([
  ['truncated', 'a\n'],
  ['replaced', 'c\nd\n'],
])('notices a file that was %s between the look and the reading', (change, content) =>
  inNewFolder(async (folder) => {
    const path = await file(join(folder, 's.jsonl'), 'a\nb\n')
    const growing = new GrowingFile(path)
    const read = async () => {
      for await (const _ of growing.read());
    }
    await growing.findChange()
    await read()
    expect(await growing.findChange()).toBeUndefined()
    await file(path, content)
    await read()
    expect(await growing.findChange()).toBe(change)
  }),
)
