import { describe, expect, it } from 'vitest'
import { claudeSource, claudeTranscript } from '../../src/entries/claude.ts'
import { createSessionHub } from '../../src/entries/hub.ts'
import {
  anySource,
  createReader,
  loadSession,
  parseTranscript,
  type SessionConversationState,
} from '../../src/entries/index.ts'
import { allRecordings, recording } from '../wires/recordings.ts'

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

describe('files that say little', () => {
  const whole = recording('05-three-parallel-forward')

  it.each([
    ['an empty file', ''],
    ['an empty line', '\n'],
    ['a line of no program', 'hello\n'],
  ])('keep the session of the stream: %s', async (_, main) => {
    const reader = createReader(claudeSource)
    reader.push(whole.stream)
    const before = reader.state
    const step = reader.push({ main, subagents: [] })
    expect([reader.state, step.startsOver, step.events]).toEqual([before, undefined, []])
    const hub = createSessionHub()
    await hub.pipe('s', [whole.stream])
    const state = await hub.state('s')
    await expect(hub.reload('s', main)).rejects.toThrow(/not a transcript/)
    expect(await hub.state('s')).toEqual(state)
  })

  it('keep the conversations of agents that have no files', async () => {
    const blocksOf = (state: SessionConversationState | undefined) =>
      state?.subagents.map(({ toolUseId, status, blocks }) => [toolUseId, status, blocks.length])
    const reader = createReader(claudeSource)
    reader.push(whole.stream)
    const before = blocksOf(reader.state)
    reader.push({ main: whole.files[whole.sessionPath] ?? '', subagents: [] })
    expect(blocksOf(reader.state)).toEqual(before)
    expect(reader.state.subagents.flatMap(({ blocks }) => blocks).map(({ status }) => status)).not.toContain(
      'pending',
    )
  })

  it('keep a text that ends as a text of another message', () => {
    const of = (id: string, text: string, second: number) => ({
      ...reply(`a-${id}`, [{ type: 'text', text }], second),
      message: { id, role: 'assistant', model: 'opus', content: [{ type: 'text', text }], stop_reason: null },
    })
    const streamed = (id: string, text: string) => ({
      ...{ type: 'assistant', session_id: 's', parent_tool_use_id: null },
      message: of(id, text, 2).message,
    })
    const reader = createReader(claudeSource)
    for (const message of [init, streamed('m1', 'I do A.'), streamed('m2', 'A.')]) reader.push(message)
    reader.push(files(prompt, of('m1', 'I do A.', 2)))
    expect(shown(reader.state).map(([, , text]) => text)).toEqual(['Count.', 'I do A.', 'A.'])
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
    const saved = await hub.saveReader('s')
    expect(saved && loadSession(claudeSource, saved.session).state).toEqual(middle)
    const again = hub.pipe('s', [], { architecture: 'claude-sdk', ...(saved && { saved }) })
    await expect(again).resolves.toMatchObject({ issues: [] })
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
