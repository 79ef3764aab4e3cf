import { execFileSync } from 'node:child_process'
import { symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { followSession } from '../../../src/node/follow/follow-session.ts'
import { inNewFolder } from './growing-session.ts'

// To open a pipe waits for its writer, and neither an abort nor a signal ended that.
it('refuses a pipe at once', () =>
  inNewFolder(async (folder) => {
    const pipe = join(folder, 'pipe.jsonl')
    execFileSync('mkfifo', [pipe])
    const updates = followSession(pipe)[Symbol.asyncIterator]()
    await expect(updates.next()).rejects.toMatchObject({
      code: 'unreadable',
      message: expect.stringContaining(`${pipe}: not a regular file`),
    })
  }))

// It was the error of the system, so the command line ended with a stack.
it('says which path it cannot look at', () =>
  inNewFolder(async (folder) => {
    const circle = join(folder, 'circle.jsonl')
    await symlink(circle, circle)
    for (const path of [circle, join(folder, 'x'.repeat(300))]) {
      const updates = followSession(path)[Symbol.asyncIterator]()
      const message = expect.stringContaining(`${path}: `)
      await expect(updates.next()).rejects.toMatchObject({
        name: 'TranscriptError',
        code: 'unreadable',
        message,
      })
    }
  }))
