import { EventEmitter } from 'node:events'
import { watch } from 'chokidar'
import { afterEach, expect, it, vi } from 'vitest'
import { FileChanges } from '../../../src/node/follow/changes.ts'
import { followSession } from '../../../src/node/index.ts'
import { assistantMessage, text, toText } from '../../formats/claude/messages.ts'
import { file } from '../opencode-storage.ts'
import { inNewFolder } from './growing-session.ts'

vi.mock('chokidar', () => ({ watch: vi.fn() }))

/** A watcher of which the test sends the events. A real one fails only where the system has no watches left. */
class FakeWatcher extends EventEmitter {
  readonly added: string[][] = []

  add(paths: string[]): void {
    this.added.push(paths)
  }

  async close(): Promise<void> {}
}

function useFakeWatcher(): FakeWatcher {
  const watcher = new FakeWatcher()
  vi.mocked(watch).mockReturnValue(Object.assign(Object.create(null), bound(watcher)))
  return watcher
}

const bound = (watcher: FakeWatcher) => ({
  on: watcher.on.bind(watcher),
  add: watcher.add.bind(watcher),
  close: watcher.close.bind(watcher),
})

afterEach(() => vi.resetAllMocks())

it('watches each path once', () => {
  const watcher = useFakeWatcher()
  const changes = new FileChanges(1e6, new AbortController().signal)
  changes.watch(['a', 'b'])
  changes.watch(['b'])
  changes.watch(['b', 'c'])
  expect(vi.mocked(watch).mock.calls.map(([paths]) => paths)).toEqual([['a', 'b']])
  expect(watcher.added).toEqual([['c']])
})

it('waits for a change, and not if one has come since the last reading', async () => {
  const watcher = useFakeWatcher()
  const changes = new FileChanges(1e6, new AbortController().signal)
  changes.watch(['a'])
  const waiting = changes.next()
  watcher.emit('all')
  await waiting
  await changes.next()
  changes.clear()
  const again = changes.next()
  watcher.emit('ready')
  await again
})

it('does not wait after an abort', async () => {
  const controller = new AbortController()
  const changes = new FileChanges(1e6, controller.signal)
  controller.abort()
  await changes.next()
})

it('reports once that the system cannot watch, and follows by its poll', () =>
  inNewFolder(async (folder) => {
    const watcher = useFakeWatcher()
    const path = await file(`${folder}/s1.jsonl`, toText([assistantMessage('m1', text('One.'))]))
    const updates = followSession(path, { pollMs: 20 })[Symbol.asyncIterator]()
    await updates.next()
    watcher.emit('error', new Error('no watches left'))
    watcher.emit('error', 'no watches at all')
    expect((await updates.next()).value).toMatchObject({
      events: [],
      issues: [{ code: 'watch-failed', reason: 'no watches at all' }],
    })
    await file(path, toText([assistantMessage('m1', text('One.')), assistantMessage('m2', text('Two.'))]))
    expect((await updates.next()).value.issues).toEqual([])
    await updates.return?.()
  }))
