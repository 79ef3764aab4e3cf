import { describe, expect, it } from 'vitest'
import { opencodeSource } from '../../../../src/wires/opencode/source.ts'
import { ofType } from '../../recordings.ts'
import { answer, type Message, main, prompt, readEvents } from '../messages.ts'
import { readBoth } from '../stored.ts'

const user = [main.created(), main.user('msg_1')]
const png = main.userFile('msg_1', 'prt_2', 'image/png', 'data:image/png;base64,iVBORw==')
const userMessages = (...parts: readonly Message[]) =>
  ofType(readBoth(...user, ...parts, ...answer).state, 'user_message')

describe('a user message', () => {
  it('is one block with its attachments', () => {
    const note = main.userFile('msg_1', 'prt_3', 'text/plain', 'file:///srv/demo/a.txt', {
      filename: 'a.txt',
    })
    const link = main.userFile('msg_1', 'prt_4', 'image/gif', 'https://example.com/a.gif')
    expect(userMessages(main.userText('msg_1', 'prt_1', 'Look.'), png, note, link)).toMatchObject([
      {
        id: 'msg_1',
        content: [
          { type: 'text', text: 'Look.' },
          { type: 'image', source: { type: 'base64', mediaType: 'image/png', data: 'iVBORw==' } },
          {
            type: 'file',
            name: 'a.txt',
            source: { type: 'url', url: 'file:///srv/demo/a.txt', mediaType: 'text/plain' },
          },
          {
            type: 'image',
            source: { type: 'url', url: 'https://example.com/a.gif', mediaType: 'image/gif' },
          },
        ],
      },
    ])
  })

  it('keeps the order of the part ids when an earlier part arrives late', () => {
    const [first, last] = [main.userText('msg_1', 'prt_1', 'One.'), main.userText('msg_1', 'prt_3', 'Three.')]
    const inOrder = userMessages(first, png, last)
    expect(userMessages(last, png, first)).toEqual(inOrder)
    expect(userMessages(png, last, first)).toEqual(inOrder)
  })

  const fileAt = (at: number) => main.userFile('msg_1', `prt_${10_000 + at}`, 'text/plain', `file:///${at}`)
  const files = (count: number) => Array.from({ length: count }, (_, at) => fileAt(at))

  it('has at most 1,000 parts, and an issue counts the others', () => {
    const changed = main.userText('msg_1', 'prt_10000', 'Look.')
    const { state, issues } = readEvents(...user, ...files(1_003), changed)
    const [message] = ofType(state, 'user_message')
    expect(message?.content).toHaveLength(1_000)
    expect(message?.content[0]).toEqual({ type: 'text', text: 'Look.' })
    expect(issues).toMatchObject([{ code: 'too-many-parts', count: 3, messageType: 'user/file' }])
  })

  it('has room again after the removal of a part, and the program’s texts take none', () => {
    const notes = Array.from({ length: 1_000 }, (_, at) =>
      main.userText('msg_1', `prt_${20_000 + at}`, 'Note.', { synthetic: true }),
    )
    const last = main.userText('msg_1', 'prt_30000', 'Go.')
    const removed = main.partRemoved('msg_1', 'prt_10000')
    const { state, issues } = readEvents(...user, ...notes, ...files(1_000), removed, last)
    const message = ofType(state, 'user_message').find(({ id }) => id === 'msg_1')
    expect(message?.content).toHaveLength(1_000)
    expect(message?.content.at(-1)).toEqual({ type: 'text', text: 'Go.' })
    expect(issues).toEqual([])
  })

  it('of a resumed state keeps its 1,000 parts when they come again', () => {
    const events = [...user, ...files(1_000)]
    const { state } = readEvents(...events)
    const { session, issues } = opencodeSource.read(opencodeSource.open(state), events)
    expect(session.state.blocks).toEqual(state.blocks)
    expect(issues).toEqual([])
  })

  it('may name an agent, which adds no block', () => {
    const { state, issues } = readBoth(
      ...user,
      main.userText('msg_1', 'prt_1', '@general look'),
      main.part('msg_1', { id: 'prt_2', type: 'agent', name: 'general' }),
      main.part('msg_1', { id: 'prt_3', type: 'subtask', prompt: 'look', agent: 'general' }),
      ...answer,
    )
    expect(state.blocks.map(({ id }) => id)).toEqual(['msg_1', 'prt_90'])
    expect(issues).toEqual([])
  })
})

it('a synthetic text of a user message is a block under the id of its part', () => {
  const added = main.userText('msg_1', 'prt_3', 'Called the Read tool.', { synthetic: true })
  const hidden = main.userText('msg_1', 'prt_4', 'For the person alone.', { ignored: true })
  expect(userMessages(main.userText('msg_1', 'prt_1', 'Look at @a.txt'), png, added, hidden)).toMatchObject([
    { id: 'msg_1', content: [{ type: 'text' }, { type: 'image' }] },
    { id: 'prt_3', content: 'Called the Read tool.', origin: 'meta' },
    { id: 'prt_4', content: 'For the person alone.', origin: 'meta' },
  ])
})

describe('a compaction', () => {
  const compaction = [
    ...prompt,
    ...answer,
    main.user('msg_91'),
    main.part('msg_91', { id: 'prt_91', type: 'compaction', auto: true }),
    main.assistantStart('msg_92', { summary: true, mode: 'compaction', agent: 'compaction' }),
    main.part('msg_92', { id: 'prt_92', type: 'reasoning', text: 'Hm.', time: { start: 1, end: 2 } }),
    main.textStart('msg_92', 'prt_93'),
  ]
  const summary = [
    main.wholeText('msg_92', 'prt_93', 'The whole summary.'),
    main.assistantEnd('msg_92', { summary: true, mode: 'compaction', agent: 'compaction' }),
    main.event('session.compacted'),
    main.idle(),
  ]

  it('is a system block, and its summary is a user message of origin `summary`', () => {
    const { state, issues, ending } = readBoth(...compaction, ...summary)
    expect(state.blocks.slice(2)).toMatchObject([
      { type: 'system', subtype: 'compaction', id: 'prt_91', status: 'complete', data: { auto: true } },
      { type: 'thinking', content: 'Hm.' },
      { type: 'user_message', id: 'prt_93', content: 'The whole summary.', origin: 'summary' },
    ])
    expect(issues).toEqual([])
    expect(ending).toBe('finished')
  })
})
