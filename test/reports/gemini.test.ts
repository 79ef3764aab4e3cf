import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { geminiTranscript } from '../../src/entries/gemini.ts'
import { branches, parseTranscript, readTranscript } from '../../src/entries/index.ts'
import { listSessions, readSession } from '../../src/entries/node.ts'

const FOLDER = join(import.meta.dirname, '../../fixtures/reports/gemini')

it('a rewind to the result of a call keeps the call, and what followed is a branch', async () => {
  const file = 'chats/session-2026-11-25T09-00-5d0c0de1.jsonl'
  const { state, issues } = await readSession(join(FOLDER, 'rewind-to-result', file))
  const texts = state.blocks.flatMap((block) =>
    block.type === 'user_message' || block.type === 'assistant_text' ? [block.content] : [],
  )
  expect(texts).toEqual([
    ...['Lay the table.', 'Laid.', 'Pour the tea.', 'I pour.'],
    ...['Add some milk.', 'White now.'],
  ])
  expect(state.blocks.filter(({ type }) => type === 'tool_result')).toMatchObject([{ output: 'poured' }])
  const [branch] = branches(state)
  expect(branch?.blocks).toMatchObject([{ content: 'The tea is poured.' }])
  expect(issues).toEqual([])
})

describe('an agent of the versions with documents', () => {
  const folder = join(FOLDER, 'legacy-agent')
  const main = 'chats/session-2026-02-03T08-00-5d0c0de1.json'
  const agent = 'chats/5d0c0de1-0010-4a00-8000-00000000c0de/agent001-0000-4a00-8000-00000000c0de.json'
  const textOf = (path: string) => readFileSync(join(folder, path), 'utf8')

  it.each([
    ['its folder', () => readSession(join(folder, 'chats'))],
    ['its path', () => readSession(join(folder, main))],
    [
      'a bundle',
      () => {
        const bundle = geminiTranscript({ [main]: textOf(main), [agent]: textOf(agent) })
        return { state: parseTranscript(bundle), issues: readTranscript(bundle).issues }
      },
    ],
  ])('has its conversation, read by %s', async (_, read) => {
    const { state, issues } = await read()
    expect(state.subagents).toMatchObject([
      {
        name: 'generalist',
        blocks: [{ content: 'Weigh the parcel.' }, { content: 'Four pounds.' }],
        usage: [{ inputTokens: 66, outputTokens: 5, model: 'gemini-3-flash' }],
      },
    ])
    expect(issues).toEqual([])
  })

  it('is no session of the list', async () => {
    const paths: string[] = []
    for await (const { path } of listSessions({ roots: [folder] })) paths.push(path)
    expect(paths).toEqual([join(folder, main)])
  })

  it('is read once, if a newer version has written the file anew in lines', () => {
    const { messages, ...head } = JSON.parse(textOf(agent))
    const lines = [head, ...messages].map((line) => JSON.stringify(line)).join('\n')
    const bundle = geminiTranscript({ [main]: textOf(main), [agent]: textOf(agent), [`${agent}l`]: lines })
    expect(bundle.subagents).toHaveLength(1)
  })
})
