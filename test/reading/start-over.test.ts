import { describe, expect, it } from 'vitest'
import { claudeSource, claudeTranscript } from '../../src/entries/claude.ts'
import { createSessionHub } from '../../src/entries/hub.ts'
import {
  anySource,
  createReader,
  parseTranscript,
  type SessionConversationState,
} from '../../src/entries/index.ts'
import { allRecordings } from '../wires/recordings.ts'

const line = (value: object) => `${JSON.stringify(value)}\n`
const time = (second: number) => `2026-01-01T00:00:0${second}Z`

const prompt = {
  type: 'user',
  uuid: 'u1',
  sessionId: 's',
  timestamp: time(1),
  message: { role: 'user', content: 'Count.' },
}
const reply = (uuid: string, content: readonly object[], second: number) => ({
  type: 'assistant',
  uuid,
  parentUuid: 'u1',
  sessionId: 's',
  timestamp: time(second),
  message: { id: 'm1', role: 'assistant', model: 'opus', content, stop_reason: null },
})
const one = { type: 'text', text: 'One.' }
const call = { type: 'tool_use', id: 't1', name: 'Bash', input: { command: 'ls' } }
const files = (...lines: readonly object[]) => claudeTranscript({ '/p/s.jsonl': lines.map(line).join('') })

const event = (event: object) => ({ type: 'stream_event', session_id: 's', uuid: crypto.randomUUID(), event })
const start = (index: number) =>
  event({ type: 'content_block_start', index, content_block: { type: 'text', text: '' } })
const delta = (index: number, text: string) =>
  event({ type: 'content_block_delta', index, delta: { type: 'text_delta', text } })
const init = { type: 'system', subtype: 'init', session_id: 's', model: 'opus', cwd: '/p' }
const messageStart = event({
  type: 'message_start',
  message: { id: 'm1', role: 'assistant', model: 'opus', content: [] },
})

const shown = ({ blocks }: SessionConversationState) =>
  blocks.map((block) => [block.type, block.status, 'content' in block ? block.content : block.id])

describe('reader.push of a transcript', () => {
  it.each(allRecordings.map((recording) => [recording.name, recording] as const))(
    'gives the state of its files, with the files of agents: %s',
    (_, { disk }) => {
      for (const source of [claudeSource, anySource]) {
        const reader = createReader(source)
        const { events, startsOver } = reader.push(disk)
        expect(events.length).toBeGreaterThan(0)
        expect(startsOver).toBeUndefined()
        reader.end()
        expect(reader.state).toEqual(parseTranscript('claude-sdk', disk))
      }
    },
  )

  it('starts over from the files, and keeps a text that is open, so that its deltas go on', () => {
    const reader = createReader(claudeSource)
    for (const message of [
      init,
      messageStart,
      start(0),
      delta(0, 'One.'),
      reply('a1', [one], 2),
      start(1),
      delta(1, 'Tw'),
    ])
      reader.push(message)
    const step = reader.push(files(prompt, reply('a1', [one], 2)))
    expect(step.startsOver).toBe(true)
    expect(shown(reader.state)).toEqual([
      ['user_message', 'complete', 'Count.'],
      ['assistant_text', 'complete', 'One.'],
      ['assistant_text', 'pending', 'Tw'],
    ])
    expect(reader.state.turn.status).toBe('running')
    reader.push(delta(1, 'o.'))
    expect(shown(reader.state).at(-1)).toEqual(['assistant_text', 'pending', 'Two.'])
  })

  it('goes on with a line of the stream that was cut, in text and in bytes', () => {
    const { message } = reply('a1', [{ type: 'text', text: 'Öne.' }], 2)
    const streamed = line({ type: 'assistant', session_id: 's', parent_tool_use_id: null, message })
    const bytes = new TextEncoder().encode(streamed)
    for (const whole of [streamed, bytes])
      for (let cut = 0; cut <= whole.length; cut += 5) {
        const reader = createReader(claudeSource)
        reader.push(line(init))
        reader.push(whole.slice(0, cut))
        reader.push(files(prompt))
        expect(reader.push(whole.slice(cut)).issues).toEqual([])
        expect(shown(reader.state)).toEqual([
          ['user_message', 'complete', 'Count.'],
          ['assistant_text', 'complete', 'Öne.'],
        ])
      }
  })
})

describe('hub.reload while a pipe runs', () => {
  it('starts over from the file, and the stream goes on with its open text', async () => {
    const hub = createSessionHub()
    let release: () => void = () => {}
    const wait = new Promise<void>((resolve) => {
      release = resolve
    })
    async function* output() {
      yield* [init, messageStart, start(0), delta(0, 'One.'), reply('a1', [one], 2), start(1), delta(1, 'Tw')]
      await wait
      yield delta(1, 'o.')
    }
    const piped = hub.pipe('s', output(), 'claude-sdk')
    await expect.poll(async () => (await hub.state('s'))?.blocks.length).toBe(2)
    await hub.reload('s', files(prompt, reply('a1', [one], 2)), 'claude-sdk')
    const middle = await hub.state('s')
    expect(middle && shown(middle)).toEqual([
      ['user_message', 'complete', 'Count.'],
      ['assistant_text', 'complete', 'One.'],
      ['assistant_text', 'pending', 'Tw'],
    ])
    release()
    await piped
    const state = await hub.state('s')
    expect(state && shown(state).at(-1)?.[2]).toBe('Two.')
  })
})
void call
