import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { parseTranscript } from '../../src/index.ts'
import { readSession } from '../../src/node/index.ts'

const CHAT = join(import.meta.dirname, '../../fixtures/reports/cli/foreign-file/chat.jsonl')

it('a file of a program that nobody recognizes is no session of Claude Code', async () => {
  expect(() => parseTranscript(readFileSync(CHAT, 'utf8'))).toThrow(/no known program wrote it/)
  await expect(readSession(CHAT)).rejects.toMatchObject({ code: 'not-a-transcript' })
})
