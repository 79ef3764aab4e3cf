import { expect, it } from 'vitest'
import { sessionChoices } from '../../src/cli/list/several-sessions.ts'
import { newestPaths } from '../../src/node/list/list-sessions.ts'
import { TranscriptError } from '../../src/reading/input/combined.ts'
import { modelSays, toText } from '../wires/claude/messages.ts'
import { temporaryFolder } from './temporary.ts'

const { inFolder, file } = temporaryFolder()
const hello = toText([modelSays('m1', 'Hi.', { uuid: 'u1' })])

// They were missing, and counted as older ones.
it('sessions that cannot be read are named by their paths, after the others', async () => {
  const gone = ['a', 'b'].map((name) => inFolder(`${name}.jsonl`))
  const readable = await file('c.jsonl', hello)
  const sessions = await newestPaths([...gone, readable])
  expect(sessions).toEqual([readable, ...gone])
  const error = new TranscriptError('several-sessions', '', { path: inFolder(), sessions })
  expect(await sessionChoices(error, sessions)).toBe(
    [
      `${inFolder()}: several sessions, choose one:`,
      '  c · Session c · c.jsonl',
      ...gone.map((path) => `  ${path}`),
    ].join('\n'),
  )
})
