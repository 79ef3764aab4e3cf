import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { parseTranscript } from '../../src/entries/index.ts'
import { readSession } from '../../src/entries/node.ts'

const CHAT = join(import.meta.dirname, '../../fixtures/reports/cli/foreign-file/chat.jsonl')

it('a file of another program is no session of Claude Code', () => {
  const refused = expect.objectContaining({ code: 'not-a-transcript' })
  expect(() => parseTranscript('claude-sdk', readFileSync(CHAT, 'utf8'))).toThrow(refused)
})

it('a file of Qwen Code has its prompt and its answer', async () => {
  const { state } = await readSession(CHAT)
  expect(state).toEqual(parseTranscript(readFileSync(CHAT, 'utf8')))
  expect(state.session.program).toBe('qwen')
  expect(state.turn.status).toBe('finished')
  expect(state.blocks.map((block) => [block.type, Reflect.get(block, 'content')])).toEqual([
    ['user_message', 'Which day is it?'],
    ['assistant_text', 'It is Monday.'],
  ])
})
