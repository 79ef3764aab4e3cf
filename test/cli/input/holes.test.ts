import { truncate } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { temporaryFolder } from '../temporary.ts'
import { agentfold } from '../terminal.ts'

const { inFolder, file } = temporaryFolder()
const REASON = 'not a transcript: it begins with thousands of NUL bytes'

describe('a file that is one hole', () => {
  it('ends at once with one line, however long it is', async () => {
    const path = await file('projects/sparse.jsonl', '')
    await truncate(path, 100 * 2 ** 30)
    expect(await agentfold(['show', path])).toEqual({
      code: 1,
      out: '',
      err: `agentfold: ${path}: ${REASON}\n`,
    })
    expect(await agentfold(['search', 'word', inFolder('projects')])).toMatchObject({ code: 1, out: '' })
  })

  it.skipIf(process.platform === 'win32')('and so does a device without an end', async () => {
    expect(await agentfold(['show', '/dev/zero'])).toMatchObject({
      code: 1,
      err: `agentfold: /dev/zero: ${REASON}\n`,
    })
  })
})
