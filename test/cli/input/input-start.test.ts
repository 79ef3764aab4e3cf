import { cp, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parseTranscript } from '../../../src/entries/index.ts'
import { opencodeFolder } from '../../checks/parity/sessions.ts'
import { earlierRecordings, recording } from '../../wires/recordings.ts'
import { temporaryFolder } from '../temporary.ts'
import { agentfold } from '../terminal.ts'

const { inFolder, file } = temporaryFolder()

const events = await readFile(join(opencodeFolder, '04-subagent/events.ndjson'), 'utf8')
const main = parseTranscript('opencode', events).session.id
const stateIn = async (stdin: readonly string[]) =>
  JSON.parse((await agentfold(['replay', '-', '--json'], { stdin })).out).state

describe('a stream', () => {
  it('may be server-sent events', async () => {
    const sent = events
      .trimEnd()
      .split('\n')
      .map((line) => `data: ${line}\n\n`)
    expect(await stateIn(sent)).toEqual(parseTranscript('opencode', events))
  })

  it('may start with a chunk that does not show the format', async () => {
    const first = '{"type":"run_start","timestamp":1,"sessionID":"ses_x"}\n'
    expect(await stateIn([first, events])).toEqual(parseTranscript('opencode', events))
  })

  it('may start with a line of another program, and is still read as it arrives', async () => {
    const { stream } = recording('01-plain-text')
    const drawn: string[] = []
    let now = 0
    const stdin = (function* () {
      for (const line of ['npm warn something\n', ...stream.split(/(?<=\n)/)]) {
        now += 1000
        yield line
      }
    })()
    const { out } = await agentfold(['replay', '-'], {
      stdin,
      screen: { write: (frame) => drawn.push(frame), rows: 24, now: () => now },
    })
    expect(drawn.length).toBeGreaterThan(3)
    expect(out).toMatch(/1 issue\n {2}malformed-line · count 1 · line 1\n$/)
  })
})

it('reads the agents of a session that a newer version of the program continued', async () => {
  const home = inFolder('both versions')
  const older = earlierRecordings.find(({ name }) => name === '04b-subagent-default of 2.0.77')
  const from = older?.sessionPath.replace(/[^/]*$/, '') ?? ''
  await cp(from, home, { recursive: true })
  const session = (await readdir(home)).find((name) => /^[0-9a-f]{8}-.*\.jsonl$/.test(name)) ?? ''
  const alone = await agentfold(['replay', join(home, session), '--json'])
  await cp(
    join(recording('04-subagent-forward').sessionPath.replace(/\.jsonl$/, ''), 'subagents'),
    join(home, session.replace(/\.jsonl$/, ''), 'subagents'),
    { recursive: true },
  )
  const both = await agentfold(['replay', join(home, session), '--json'])
  const named = (out: string) =>
    JSON.parse(out).state.subagents.map((each: { agentId: string }) => each.agentId)
  expect(named(both.out)).toEqual(expect.arrayContaining(named(alone.out)))
  expect(named(both.out).length).toBeGreaterThan(named(alone.out).length)
})

it('prints a repeated reducer issue once, with its count', async () => {
  const begin = events.split('\n').find((line) => line.includes('"session.created"')) ?? ''
  const deltas = Array.from({ length: 11 }, (_, at) =>
    JSON.stringify({
      id: `evt_${at}`,
      type: 'message.part.delta',
      properties: { sessionID: main, messageID: 'm', partID: 'p', field: 'text', delta: 'x' },
    }),
  )
  const { out } = await agentfold(['replay', '-'], { stdin: [[begin, ...deltas].join('\n')] })
  expect(out).toMatch(/1 issue\n {2}delta-before-block · .*count 11\n$/)
})

it('shows no progress between the events', async () => {
  const path = await file('long.ndjson', events.repeat(Math.ceil(4_000_000 / events.length)))
  const { err } = await agentfold(['replay', path, '--events'], { showsProgress: true })
  expect(err).toBe('')
})
