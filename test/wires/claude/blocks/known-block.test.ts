import { describe, expect, it } from 'vitest'
import type { SessionConversationState } from '../../../../src/entries/index.ts'
import { claudeSource } from '../../../../src/wires/claude/source.ts'
import {
  blockStart,
  init,
  type Message,
  messageStart,
  modelCalls,
  modelSays,
  readOpenStream,
  text,
  textDelta,
  toolUse,
} from '../messages.ts'

const contentsOf = ({ blocks }: SessionConversationState) =>
  blocks.map((block) => [block.id, 'content' in block ? block.content : ''])

/** Returns the blocks after a line that comes after a restart from the state of earlier messages. */
function afterRestart(earlier: readonly Message[], line: Message) {
  const { state } = readOpenStream(init, messageStart('m'), ...earlier)
  return contentsOf(claudeSource.read(claudeSource.open(state), [line]).session.state)
}

it('a start names a known call by its id, and any other block by its index', () => {
  const { state } = readOpenStream(
    init,
    messageStart('m'),
    modelSays('m', 'Hello.'),
    modelCalls('m', 't'),
    blockStart('m', 0, toolUse('t')),
    blockStart('m', 0, toolUse('other')),
  )
  expect(state.blocks.map(({ id }) => id)).toEqual(['m:0', 't'])
})

describe('a line completes or repeats', () => {
  it('the first block that has only started', () => {
    const { state } = readOpenStream(
      init,
      messageStart('m'),
      modelSays('m', 'Whole.'),
      blockStart('m', 1, text('')),
      blockStart('m', 2, text('')),
      modelSays('m', 'Hello.'),
    )
    expect(contentsOf(state)).toEqual([
      ['m:0', 'Whole.'],
      ['m:1', 'Hello.'],
      ['m:2', ''],
    ])
  })

  it('the text with the same words rather than one that has begun with them', () => {
    const begun = [blockStart('m', 0, text('')), textDelta('m', 0, 'Hel')]
    const same = [blockStart('m', 1, text('')), modelSays('m', 'Hello.', { apiBlockIndex: 1 })]
    const line = modelSays('m', 'Hello.', { uuid: 'again' })
    expect(afterRestart([...begun, ...same], line)).toEqual([
      ['m:0', 'Hel'],
      ['m:1', 'Hello.'],
    ])
    expect(afterRestart(begun, line)).toEqual([['m:0', 'Hello.']])
  })

  it('a last text that the end of the input has cut', () => {
    const line = modelSays('m', 'Hello.', { uuid: 'again' })
    expect(afterRestart([modelSays('m', 'Hel')], line)).toEqual([['m:0', 'Hello.']])
  })
})
