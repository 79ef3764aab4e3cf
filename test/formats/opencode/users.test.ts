import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ofType } from '../recordings.ts'
import { answer, type Message, main, question, read } from './messages.ts'
import { readBoth } from './stored.ts'

const user = [main.created(), main.user('msg_1')]
const png = main.attached('msg_1', 'prt_2', 'image/png', 'data:image/png;base64,iVBORw==')
const said = (...parts: readonly Message[]) =>
  ofType(readBoth(...user, ...parts, ...answer).state, 'user_message')

describe('what a person says', () => {
  it('is one block under the id of the message, with its time', () => {
    expect(said(main.told('msg_1', 'prt_1', 'Look.'))).toEqual([
      {
        type: 'user_message',
        id: 'msg_1',
        conversationId: 'main',
        status: 'complete',
        content: 'Look.',
        timestamp: '1970-01-01T00:00:01.000Z',
      },
    ])
  })

  it('is one block with what is attached', () => {
    const note = main.attached('msg_1', 'prt_3', 'text/plain', 'file:///srv/demo/a.txt', {
      filename: 'a.txt',
    })
    const link = main.attached('msg_1', 'prt_4', 'image/gif', 'https://example.com/a.gif')
    expect(said(main.told('msg_1', 'prt_1', 'Look.'), png, note, link)).toMatchObject([
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

  it('is a list where it is an image alone, or two texts', () => {
    expect(said(png)).toMatchObject([{ content: [{ type: 'image' }] }])
    expect(said(main.told('msg_1', 'prt_1', 'One.'), main.told('msg_1', 'prt_2', 'Two.'))).toMatchObject([
      {
        content: [
          { type: 'text', text: 'One.' },
          { type: 'text', text: 'Two.' },
        ],
      },
    ])
  })

  it('is in the order of the parts’ ids, in whichever order they come', () => {
    const parts = ['a', 'b', 'c', 'd'].map((text) => main.told('msg_1', `prt_${text}`, text))
    const whole = read(...user, ...parts).state
    fc.assert(
      fc.property(fc.shuffledSubarray(parts, { minLength: parts.length }), (shuffled) => {
        expect(read(...user, ...shuffled).state).toEqual(whole)
      }),
      { numRuns: 20 },
    )
  })

  it('is what it says at last, where a part comes again', () => {
    expect(
      said(main.told('msg_1', 'prt_1', 'Lok.'), png, main.told('msg_1', 'prt_1', 'Look.')),
    ).toMatchObject([{ content: [{ type: 'text', text: 'Look.' }, { type: 'image' }] }])
  })

  it('stays as it is when the message is told again with its summary', () => {
    const again = main.user('msg_1', { summary: { title: 'A title', diffs: [] } })
    const { state, ending } = readBoth(...user, main.told('msg_1', 'prt_1', 'Look.'), ...answer, again)
    expect(state.blocks.map(({ id }) => id)).toEqual(['msg_1', 'prt_90'])
    expect(ending).toBe('finished')
  })

  it('may be empty', () => {
    expect(said(main.told('msg_1', 'prt_1', ''))).toMatchObject([{ content: '' }])
  })

  it.each(['\0', ' ', '\r\n', 'e\u0301', '👩‍👩‍👧', '\ud800', '"quoted"', '<task id="x">'])(
    'keeps its words as they are: %j',
    (text) => {
      expect(said(main.told('msg_1', 'prt_1', text))).toMatchObject([{ content: text }])
    },
  )

  it('says which agent is to do it without a block of its own', () => {
    const { state, issues } = readBoth(
      ...user,
      main.told('msg_1', 'prt_1', '@general look'),
      main.part('msg_1', { id: 'prt_2', type: 'agent', name: 'general' }),
      main.part('msg_1', { id: 'prt_3', type: 'subtask', prompt: 'look', agent: 'general' }),
      ...answer,
    )
    expect(state.blocks.map(({ id }) => id)).toEqual(['msg_1', 'prt_90'])
    expect(issues).toEqual([])
  })
})

describe('what the program says in the person’s place', () => {
  it('stands by itself under the id of the part', () => {
    const added = main.told('msg_1', 'prt_3', 'Called the Read tool.', { synthetic: true })
    const hidden = main.told('msg_1', 'prt_4', 'For the person alone.', { ignored: true })
    expect(said(main.told('msg_1', 'prt_1', 'Look at @a.txt'), png, added, hidden)).toMatchObject([
      { id: 'msg_1', content: [{ type: 'text' }, { type: 'image' }] },
      { id: 'prt_3', content: 'Called the Read tool.', origin: 'meta' },
      { id: 'prt_4', content: 'For the person alone.', origin: 'meta' },
    ])
  })

  it('is a notification where it tells of a task', () => {
    const text = '<task id="ses_x" state="completed">\n<task_result>\nDone.\n</task_result>\n</task>'
    expect(said(main.told('msg_1', 'prt_3', text, { synthetic: true }))).toMatchObject([
      { id: 'prt_3', content: text, origin: 'notification' },
    ])
  })
})

describe('a compaction', () => {
  const compaction = [
    ...question,
    ...answer,
    main.user('msg_91'),
    main.part('msg_91', { id: 'prt_91', type: 'compaction', auto: true }),
    main.begun('msg_92', { summary: true, mode: 'compaction', agent: 'compaction' }),
    main.part('msg_92', { id: 'prt_92', type: 'reasoning', text: 'Hm.', time: { start: 1, end: 2 } }),
    main.saying('msg_92', 'prt_93'),
  ]
  const summary = [
    main.said('msg_92', 'prt_93', 'All that was said.'),
    main.completed('msg_92', { summary: true, mode: 'compaction', agent: 'compaction' }),
    main.event('session.compacted'),
    main.idle(),
  ]

  it('is noted, and its summary is a message that the person did not write', () => {
    const { state, issues, ending } = readBoth(...compaction, ...summary)
    expect(state.blocks.slice(2)).toMatchObject([
      { type: 'system', subtype: 'compaction', id: 'prt_91', status: 'complete', data: { auto: true } },
      { type: 'thinking', content: 'Hm.' },
      { type: 'user_message', id: 'prt_93', content: 'All that was said.', origin: 'summary' },
    ])
    expect(issues).toEqual([])
    expect(ending).toBe('finished')
  })

  it('has its summary while it is being written', () => {
    const { state } = read(...compaction, main.delta('msg_92', 'prt_93', 'All that'))
    expect(state.blocks.at(-1)).toMatchObject({
      type: 'user_message',
      content: 'All that',
      origin: 'summary',
      status: 'pending',
    })
  })
})
