import { describe, expect, it } from 'vitest'
import { branches } from '../../../../src/entries/index.ts'
import { notesOf, textsOf } from '../../recordings.ts'
import { answer, completed, main, pending, prompt, readEvents } from '../messages.ts'
import { readBoth } from '../stored.ts'

const first = [
  main.assistantStart('msg_02'),
  main.wholeText('msg_02', 'prt_02', 'Answer.'),
  main.assistantEnd('msg_02'),
  main.idle(),
]
const turn = [
  main.user('msg_2'),
  main.userText('msg_2', 'prt_2', 'Second.'),
  main.userText('msg_2', 'prt_2b', 'Called the Read tool.', { synthetic: true }),
  main.assistantStart('msg_3'),
  main.stepStart('msg_3', 'prt_3'),
  main.part('msg_3', { id: 'prt_4', type: 'reasoning', text: 'Hm.', time: { start: 1, end: 2 } }),
  main.wholeText('msg_3', 'prt_5', 'To be reverted.'),
  main.tool('msg_3', 'prt_6', pending),
  main.tool('msg_3', 'prt_6', completed('x')),
  main.assistantEnd('msg_3', { error: { name: 'APIError', data: { message: 'refused' } } }),
]

describe('a removed message', () => {
  it('loses all its blocks, and no others', () => {
    const { state } = readBoth(...prompt, ...first, ...turn, main.removed('msg_3'), main.removed('msg_2'))
    expect(state.blocks).toEqual(readEvents(...prompt, ...first).state.blocks)
  })

  it('changes nothing if it is unknown or already removed', () => {
    const { state, issues, reducerIssues } = readBoth(
      ...prompt,
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

it.each([
  ['prt_2', 'msg_2'],
  ['prt_2b', 'msg_2'],
  ['prt_4', 'msg_3'],
  ['prt_5', 'msg_3'],
  ['prt_6', 'msg_3'],
])('a removed part loses its own blocks: %s', (partId, messageId) => {
  const before = readBoth(...prompt, ...turn).state
  const { state } = readBoth(...prompt, ...turn, main.partRemoved(messageId, partId))
  const own = partId === 'prt_2' ? ['msg_2'] : [partId, `call-${partId}`, `call-${partId}:result`]
  expect(state.blocks).toEqual(before.blocks.filter(({ id }) => !own.includes(id)))
})

describe('a reverted session', () => {
  const revert = { messageID: 'msg_2', snapshot: 'abc', diff: 'diff' }
  const reverted = [...prompt, ...first, ...turn, main.updated({ revert })]

  it('reads no repeated message of the branch', () => {
    const { state } = readEvents(...reverted, ...turn)
    expect(state).toEqual(readEvents(...reverted).state)
  })

  it('has its former state after the user restores it', () => {
    const { state } = readBoth(...reverted, main.updated())
    expect(state).toEqual(readBoth(...prompt, ...first, ...turn).state)
  })

  it('continues with the next prompt, without the reverted messages', () => {
    const { state } = readBoth(
      ...reverted,
      main.removed('msg_2'),
      main.removed('msg_3'),
      main.updated(),
      main.user('msg_4'),
      main.userText('msg_4', 'prt_40', 'Instead.'),
      main.assistantStart('msg_5'),
      main.wholeText('msg_5', 'prt_50', 'New.'),
      main.assistantEnd('msg_5'),
    )
    expect(textsOf(state)).toEqual(['Answer.', 'New.'])
    const before = readEvents(...prompt, ...first, ...turn).state
    const blockIds = before.blocks.slice(2).map(({ id }) => id)
    expect(notesOf(state, 'rewind')).toMatchObject([{ id: 'rewind:msg_2' }])
    expect(notesOf(state, 'rewind')[0]?.data).toEqual({ messageId: 'msg_2', blockIds })
    expect(branches(state)).toEqual([{ id: 'rewind:msg_2', blocks: before.blocks.slice(2) }])
  })
})

it('a removal is the same live and stored if a revert gains a part id', () => {
  const { state } = readBoth(
    ...prompt,
    ...answer,
    main.updated({ revert: { messageID: 'msg_90' } }),
    main.updated({ revert: { messageID: 'msg_90', partID: 'prt_90' } }),
  )
  expect(state.blocks.at(-1)).toMatchObject({
    id: 'rewind:msg_90',
    data: { messageId: 'msg_90', revert: { messageID: 'msg_90', partID: 'prt_90' } },
  })
})
