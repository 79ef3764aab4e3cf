import { describe, expect, it } from 'vitest'
import { notesOf, ofType, textsOf } from '../recordings.ts'
import { completed, type Message, main, pending, question, read, running, tokens } from './messages.ts'
import { readBoth } from './stored.ts'

const first = [
  main.begun('msg_02'),
  main.said('msg_02', 'prt_02', 'Answer.'),
  main.completed('msg_02'),
  main.idle(),
]
const turn = [
  main.user('msg_2'),
  main.told('msg_2', 'prt_2', 'Second.'),
  main.told('msg_2', 'prt_2b', 'Called the Read tool.', { synthetic: true }),
  main.begun('msg_3'),
  main.stepStart('msg_3', 'prt_3'),
  main.part('msg_3', { id: 'prt_4', type: 'reasoning', text: 'Hm.', time: { start: 1, end: 2 } }),
  main.said('msg_3', 'prt_5', 'To be reverted.'),
  main.tool('msg_3', 'prt_6', pending),
  main.tool('msg_3', 'prt_6', completed('x')),
  main.completed('msg_3', { error: { name: 'APIError', data: { message: 'refused' } } }),
]

describe('a message that is taken back', () => {
  it('takes all its blocks with it, and no others', () => {
    const { state } = readBoth(...question, ...first, ...turn, main.removed('msg_3'), main.removed('msg_2'))
    expect(state.blocks).toEqual(read(...question, ...first).state.blocks)
  })

  it('is gone though it is taken back while it is being written', () => {
    const late = [main.delta('msg_3', 'prt_5', 'late'), main.idle()]
    const { state } = read(...question, ...first, ...turn.slice(0, 7), main.removed('msg_3'), ...late)
    expect(state.blocks.at(-1)).toMatchObject({ type: 'user_message', id: 'prt_2b' })
    expect(textsOf(state)).toEqual(['Answer.'])
  })

  it('may come again', () => {
    const { state } = readBoth(...question, ...turn, main.removed('msg_3'), ...turn.slice(3))
    expect(textsOf(state)).toEqual(['To be reverted.'])
    expect(ofType(state, 'tool_result')).toHaveLength(1)
  })

  it('that nobody has met, or that is taken back twice, is nothing', () => {
    const { state, issues, reducerIssues } = readBoth(
      ...question,
      main.removed('msg_9'),
      main.partRemoved('msg_1', 'prt_9'),
      ...first,
      ...turn,
      main.removed('msg_3'),
      main.removed('msg_3'),
    )
    expect(textsOf(state)).toEqual(['Answer.'])
    expect(issues).toEqual([])
    expect(reducerIssues).toEqual([])
  })
})

describe('a part that is taken back', () => {
  it.each([
    ['prt_2', 'msg_2'],
    ['prt_2b', 'msg_2'],
    ['prt_4', 'msg_3'],
    ['prt_5', 'msg_3'],
    ['prt_6', 'msg_3'],
  ])('takes its own blocks with it: %s', (partId, messageId) => {
    const before = readBoth(...question, ...turn).state
    const { state } = readBoth(...question, ...turn, main.partRemoved(messageId, partId))
    const own = partId === 'prt_2' ? ['msg_2'] : [partId, `call-${partId}:result`]
    expect(state.blocks).toEqual(before.blocks.filter(({ id }) => !own.includes(id)))
  })

  it('is not taken up again by what is still being streamed', () => {
    const { state } = read(
      ...question,
      main.begun('msg_3'),
      main.saying('msg_3', 'prt_5'),
      main.partRemoved('msg_3', 'prt_5'),
      main.delta('msg_3', 'prt_5', 'late'),
      ...first,
    )
    expect(textsOf(state)).toEqual(['Answer.'])
  })
})

describe('a session that is reverted', () => {
  const revert = { messageID: 'msg_2', snapshot: 'abc', diff: 'diff' }
  const reverted = [...question, ...first, ...turn, main.updated({ revert })]

  it('says so, and still has what may be had back', () => {
    const { state } = readBoth(...reverted)
    expect(state.blocks.at(-1)).toMatchObject({
      type: 'system',
      subtype: 'revert',
      status: 'complete',
      data: revert,
    })
    expect(textsOf(state)).toEqual(['Answer.', 'To be reverted.'])
  })

  it('is as it was when it is had back', () => {
    const { state } = readBoth(...reverted, main.updated())
    expect(state).toEqual(readBoth(...question, ...first, ...turn).state)
  })

  it('goes on with the next prompt, without what was reverted', () => {
    const { state } = readBoth(
      ...reverted,
      main.removed('msg_2'),
      main.removed('msg_3'),
      main.updated(),
      main.user('msg_4'),
      main.told('msg_4', 'prt_40', 'Instead.'),
      main.begun('msg_5'),
      main.said('msg_5', 'prt_50', 'New.'),
      main.completed('msg_5'),
    )
    expect(textsOf(state)).toEqual(['Answer.', 'New.'])
    expect(notesOf(state, 'revert')).toEqual([])
  })

  it('says so once, however often the session is told', () => {
    const { state } = readBoth(...reverted, main.updated({ revert }), main.updated({ revert, title: 'T' }))
    expect(notesOf(state, 'revert')).toHaveLength(1)
  })

  it('says to where, when it is reverted further', () => {
    const further = { messageID: 'msg_01' }
    const { state } = readBoth(...reverted, main.updated({ revert: further }))
    expect(notesOf(state, 'revert')).toMatchObject([{ data: further }])
  })

  it.each([null, 7, 'msg_2', {}, { messageID: 7 }])(
    'is not where nothing says to which message: %j',
    (odd) => {
      const { state } = read(...question, ...first, main.updated({ revert: odd }))
      expect(notesOf(state, 'revert')).toEqual([])
    },
  )
})

it('has the tokens of other messages as they were', () => {
  const figures: Message = { tokens: tokens(7, 3) }
  const { state } = read(
    ...question,
    main.completed('msg_5', figures),
    main.begun('msg_6'),
    main.tool('msg_6', 'prt_60', running()),
    main.removed('msg_6'),
  )
  expect(state.usage).toMatchObject([{ messageId: 'msg_5', inputTokens: 7, outputTokens: 3 }])
})
