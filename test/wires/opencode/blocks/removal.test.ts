import { describe, expect, it } from 'vitest'
import { branches } from '../../../../src/entries/index.ts'
import { opencodeSource } from '../../../../src/entries/opencode.ts'
import { notesOf, ofType, textsOf } from '../../recordings.ts'
import {
  answer,
  completed,
  type Message,
  main,
  pending,
  prompt,
  readEvents,
  readOpenEvents,
  running,
  tokens,
} from '../messages.ts'
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

  it('is gone even if it was still streaming', () => {
    const late = [main.delta('msg_3', 'prt_5', 'late'), main.idle()]
    const { state } = readEvents(...prompt, ...first, ...turn.slice(0, 7), main.removed('msg_3'), ...late)
    expect(state.blocks.at(-1)).toMatchObject({ type: 'user_message', id: 'prt_2b' })
    expect(textsOf(state)).toEqual(['Answer.'])
  })

  // A client that reconnects receives the last events again.
  it('stays removed when its events are repeated', () => {
    const { state, issues } = readEvents(...prompt, ...turn, main.removed('msg_3'), ...turn.slice(3))
    expect(textsOf(state)).toEqual([])
    expect(ofType(state, 'tool_result')).toEqual([])
    expect(issues).toEqual([])
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

describe('a removed part', () => {
  it.each([
    ['prt_2', 'msg_2'],
    ['prt_2b', 'msg_2'],
    ['prt_4', 'msg_3'],
    ['prt_5', 'msg_3'],
    ['prt_6', 'msg_3'],
  ])('loses its own blocks: %s', (partId, messageId) => {
    const before = readBoth(...prompt, ...turn).state
    const { state } = readBoth(...prompt, ...turn, main.partRemoved(messageId, partId))
    const own = partId === 'prt_2' ? ['msg_2'] : [partId, `call-${partId}`, `call-${partId}:result`]
    expect(state.blocks).toEqual(before.blocks.filter(({ id }) => !own.includes(id)))
  })

  it('stays removed when its events are repeated', () => {
    const streaming = [main.textStart('msg_3', 'prt_5'), main.delta('msg_3', 'prt_5', 'late')]
    const begun = [...prompt, main.assistantStart('msg_3'), ...streaming]
    for (const event of [main.partRemoved('msg_3', 'prt_5'), main.stepStart('msg_3', 'prt_6')]) {
      const { state } = readEvents(...begun, event, ...streaming)
      expect(textsOf(state)).toEqual([])
    }
  })

  it('does not return with a late delta', () => {
    const { state } = readEvents(
      ...prompt,
      main.assistantStart('msg_3'),
      main.textStart('msg_3', 'prt_5'),
      main.partRemoved('msg_3', 'prt_5'),
      main.delta('msg_3', 'prt_5', 'late'),
      ...first,
    )
    expect(textsOf(state)).toEqual(['Answer.'])
  })
})

describe('a reverted session', () => {
  const revert = { messageID: 'msg_2', snapshot: 'abc', diff: 'diff' }
  const reverted = [...prompt, ...first, ...turn, main.updated({ revert })]

  it('has the messages that the person can restore on a branch', () => {
    const { state } = readBoth(...reverted)
    const { blocks } = readEvents(...prompt, ...first, ...turn).state
    const blockIds = blocks.slice(2).map(({ id }) => id)
    const data = { messageId: 'msg_2', blockIds, revert }
    expect(state.blocks).toMatchObject([...blocks.slice(0, 2), { type: 'system', subtype: 'rewind', data }])
    expect(branches(state)).toEqual([{ id: 'rewind:msg_2', blocks: blocks.slice(2) }])
    expect(state.turn).toEqual(readEvents(...prompt, ...first, ...turn).state.turn)
  })

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

  it('shows the revert once, however many events report it', () => {
    const { state } = readBoth(...reverted, main.updated({ revert }), main.updated({ revert, title: 'T' }))
    expect(notesOf(state, 'rewind')).toHaveLength(1)
  })

  it('has one branch in its order if it is reverted further, and restores a part of it', () => {
    const further = main.updated({ revert: { messageID: 'msg_01' } })
    const { state } = readBoth(...reverted, further)
    const { blocks } = readEvents(...prompt, ...first, ...turn).state
    expect(state.blocks).toMatchObject([{ id: 'rewind:msg_01', data: { messageId: 'msg_01' } }])
    expect(branches(state)).toEqual([{ id: 'rewind:msg_01', blocks }])
    expect(readBoth(...reverted, further, main.updated({ revert })).state).toEqual(
      readBoth(...reverted).state,
    )
    const back = readBoth(...reverted, further, main.updated({ revert }), main.updated()).state
    expect(back).toEqual(readBoth(...prompt, ...first, ...turn).state)
  })

  it('has a branch of its own for each of two reverts', () => {
    const again = main.updated({ revert: { messageID: 'msg_4' } })
    const { state } = readBoth(
      ...reverted,
      main.removed('msg_2'),
      main.removed('msg_3'),
      main.updated(),
      main.user('msg_4'),
      main.userText('msg_4', 'prt_40', 'Instead.'),
      main.idle(),
      again,
      main.removed('msg_4'),
      main.updated(),
      main.user('msg_5'),
      main.userText('msg_5', 'prt_50', 'Third.'),
    )
    expect(branches(state).map(({ id, blocks }) => [id, blocks[0]?.id])).toEqual([
      ['rewind:msg_2', 'msg_2'],
      ['rewind:msg_4', 'msg_4'],
    ])
    expect(state.blocks.slice(2).map(({ id }) => id)).toEqual(['rewind:msg_2', 'rewind:msg_4', 'msg_5'])
  })

  it('goes on from a state alone', () => {
    const { state } = readOpenEvents(...reverted)
    const events = [main.removed('msg_2'), main.removed('msg_3'), main.updated()]
    for (const rest of [[main.updated()], events]) {
      const { session } = opencodeSource.read(opencodeSource.open(state), rest)
      expect(session.state).toEqual(readOpenEvents(...reverted, ...rest).state)
    }
  })

  it.each([null, 7, 'msg_2', {}, { messageID: 7 }])('is not reverted without a message id: %j', (odd) => {
    const { state } = readEvents(...prompt, ...first, main.updated({ revert: odd }))
    expect(notesOf(state, 'rewind')).toEqual([])
  })
})

it('keeps the tokens of other messages', () => {
  const figures: Message = { tokens: tokens(7, 3) }
  const { state } = readEvents(
    ...prompt,
    main.assistantEnd('msg_5', figures),
    main.assistantStart('msg_6'),
    main.tool('msg_6', 'prt_60', running()),
    main.removed('msg_6'),
  )
  expect(state.usage).toMatchObject([{ messageId: 'msg_5', inputTokens: 7, outputTokens: 3 }])
})

describe('a removal', () => {
  it('keeps the rest of a user message', () => {
    const { state } = readBoth(
      main.created(),
      main.user('msg_1'),
      main.userText('msg_1', 'prt_1', 'Look.'),
      main.userFile('msg_1', 'prt_2', 'image/png', 'https://example.com/a.png'),
      main.partRemoved('msg_1', 'prt_2'),
    )
    expect(state.blocks).toMatchObject([{ id: 'msg_1', content: 'Look.' }])
  })
  it('leaves no unfinished subagent if the call was still pending', () => {
    const { issues, ending } = readBoth(
      ...prompt,
      main.assistantStart('msg_2'),
      main.task('msg_2', 'call-1', pending),
      main.removed('msg_2'),
      ...answer,
    )
    expect(issues).toEqual([])
    expect(ending).toBe('finished')
  })
  it('is the same live and stored if a revert gains a part id', () => {
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
})
