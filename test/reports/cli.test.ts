import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { tabbedLine } from '../../src/cli/list/summary-text.ts'
import { renderReplay } from '../../src/cli/tree-text.ts'
import { parseTranscript } from '../../src/entries/index.ts'
import { listSessions, readSession } from '../../src/entries/node.ts'

const FOLDER = join(import.meta.dirname, '../../fixtures/reports')
const CHAT = join(FOLDER, 'cli/foreign-file/chat.jsonl')

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

it('names the model of an agent that is not that of the session', async () => {
  const reading = await readSession(join(FOLDER, 'gemini/legacy-agent/chats'))
  const text = renderReplay(reading, { isStyled: false })
  expect(text).toContain('done generalist · gemini-3-flash ·')
  const same = JSON.parse(JSON.stringify(reading.state).replaceAll('gemini-3-flash', 'gemini-3-pro'))
  expect(renderReplay({ ...reading, state: same }, { isStyled: false })).toContain(
    'done generalist · 2 blocks',
  )
})

it('has no size of the context from before a compaction', async () => {
  const file = '2026-08-10T09-00-00-000Z_019fc0de-0023-7000-8000-00000000c0de.jsonl'
  const pi = await readSession(join(FOLDER, 'cli/context-after-compaction/pi', file))
  expect(renderReplay(pi, { isStyled: false })).not.toContain('context')
  const codex = await readSession(join(FOLDER, 'cli/context-after-compaction/codex/sessions'))
  expect(renderReplay(codex, { isStyled: false })).toContain('context 13,131')
})

it('lists the tokens that replay prints, with a mark if some are early ones', async () => {
  expect.assertions(2)
  const folder = join(FOLDER, 'cli/list-tokens')
  for await (const listed of listSessions({ roots: [folder] }))
    expect(tabbedLine(listed)).toContain('\t~49129\t')
  const reading = await readSession(join(folder, '5d0c0de1-0033-4a00-8000-00000000c0de.jsonl'))
  expect(renderReplay(reading, { isStyled: false })).toContain('~49,017 tokens in, ~112 out')
})
