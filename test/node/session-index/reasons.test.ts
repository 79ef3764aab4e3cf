import { rm } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { openSessionIndex } from '../../../src/entries/node.ts'
import { temporaryFolder } from '../../cli/temporary.ts'
import { modelAnswers, toText, userMessage } from '../../wires/claude/messages.ts'

const { inFolder, file } = temporaryFolder()

it('says why a session cannot be read, and a search goes on without it', async () => {
  const lines = [userMessage('Make tea.'), modelAnswers('m', 'Tea.')]
  const facts = { sessionId: 's1', cwd: '/srv/demo', timestamp: '2026-01-01T10:00:00.000Z' }
  const path = await file(
    'home/.claude/projects/p/s1.jsonl',
    toText(lines.map((line, at) => ({ uuid: `u${at}`, ...line, ...facts }))),
  )
  const index = await openSessionIndex({ home: inFolder('home'), path: false })
  const [row] = await index.sessions()
  await rm(path)
  await expect(index.read(row ?? { id: '', path: '', format: 'claude-sdk' })).rejects.toMatchObject({
    ...{ name: 'TranscriptError', code: 'no-such-file', message: expect.stringContaining(path) },
  })
  expect(await index.search('tea')).toEqual([])
  await index.close()
})
