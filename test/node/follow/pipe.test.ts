import { execFileSync } from 'node:child_process'
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
