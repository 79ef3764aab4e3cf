import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { createSessionHub } from '../../../src/entries/hub.ts'
import { createMemoryLog } from '../../../src/entries/log.ts'

const lines = readFileSync('fixtures/claude-code/03-tools/stream.ndjson', 'utf8').split(/(?<=\n)/)

// A reader that was saved four messages ago doubled texts at 55 of 88 cuts of this recording.
it('goes on where the log is, and refuses a saved reader that is older', async () => {
  const log = createMemoryLog()
  const hub = createSessionHub({ log })
  const saved: unknown[] = []
  async function* output() {
    for (const line of lines.slice(0, 40)) {
      yield line
      saved.push(JSON.parse(JSON.stringify(await hub.saveReader('s'))))
    }
    // The server is killed here.
    await new Promise(() => {})
  }
  void hub.pipe('s', output(), 'claude-sdk')
  await expect.poll(() => saved.length).toBe(40)
  const [older, newest] = [saved[30], saved[39]].map((each) => JSON.parse(JSON.stringify(each)))
  const restarted = createSessionHub({ log })
  const rest = lines.slice(40)
  await expect(restarted.pipe('s', rest, { architecture: 'claude-sdk', saved: older })).rejects.toMatchObject(
    { code: 'wrong-seq' },
  )
  await expect(
    restarted.pipe('s', rest, { architecture: 'claude-sdk', saved: { ...newest, epoch: 'x' } }),
  ).rejects.toMatchObject({ code: 'lost-events' })
  expect((await restarted.pipe('s', rest, { architecture: 'claude-sdk', saved: newest })).ending).toBe(
    'finished',
  )
  const state = await restarted.state('s')
  const whole = createSessionHub()
  await whole.pipe('s', lines, 'claude-sdk')
  expect(state?.blocks).toEqual((await whole.state('s'))?.blocks)
})
