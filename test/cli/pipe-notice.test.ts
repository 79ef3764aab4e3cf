import { execFileSync } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, expect, it, vi } from 'vitest'
import { openWithNotice } from '../../src/cli/read-path.ts'
import { inNewFolder } from '../node/follow/growing-session.ts'

afterEach(() => {
  vi.useRealTimers()
})

// `agentfold show` of a pipe without a writer stood still in silence.
it('says what it waits for if nobody writes to a pipe', () =>
  inNewFolder(async (folder) => {
    const pipe = join(folder, 'pipe')
    execFileSync('mkfifo', [pipe])
    vi.useFakeTimers()
    const notices: string[] = []
    const write = (text: string) => notices.push(text)
    await openWithNotice(pipe, write, async () => vi.advanceTimersByTime(999))
    await vi.advanceTimersByTimeAsync(1_000)
    expect(notices).toEqual([])
    await openWithNotice(pipe, write, async () => vi.advanceTimersByTime(1_000))
    expect(notices).toEqual([`agentfold: ${pipe}: waiting for the first line of the pipe\n`])
  }))

it('says nothing about a file that takes long, and about a path without a file', () =>
  inNewFolder(async (folder) => {
    const file = join(folder, 'a.jsonl')
    await writeFile(file, '')
    vi.useFakeTimers()
    const notices: string[] = []
    for (const path of [file, join(folder, 'none')])
      await openWithNotice(
        path,
        (text) => notices.push(text),
        async () => vi.advanceTimersByTime(9_000),
      )
    expect(notices).toEqual([])
  }))
