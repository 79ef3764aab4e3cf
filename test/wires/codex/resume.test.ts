import { describe, expect, it } from 'vitest'
import type { SessionConversationState } from '../../../src/index.ts'
import { codexSource } from '../../../src/wires/codex/source.ts'
import { textsOf } from '../recordings.ts'
import { entry, item, note, threadId, turnId } from './made-lines.ts'

/** Reads messages, forgets the session, and reads the later ones with a resumed session. */
function resumed(before: readonly unknown[], after: readonly unknown[]): SessionConversationState {
  const { state } = codexSource.read(codexSource.open(), before).session
  return codexSource.read(codexSource.open(state), after).session.state
}

const thread = { method: 'thread/started', params: { thread: { id: threadId } } }
const begin = (id = turnId, at = 1000) => note('turn/started', { turn: { id, rootTurnId: id } }, at)
const end = (status = 'completed', at = 9000) => note('turn/completed', { turn: { id: turnId, status } }, at)
const start = item({ type: 'agentMessage', id: 'm', text: '' }, 'item/started')
const delta = (words: string) => note('item/agentMessage/delta', { itemId: 'm', delta: words })

describe('a text that streams at a resume', () => {
  const before = [thread, begin(), start, delta('One long '), delta('answer')]

  it('goes on with the next delta', () => {
    expect(textsOf(resumed(before, [delta('.')]))).toEqual(['One long answer.'])
  })

  it('comes again from its start', () => {
    expect(textsOf(resumed(before, [...before.slice(2), delta('.')]))).toEqual(['One long answer.'])
    expect(textsOf(resumed(before, [delta('One '), start, delta('!')]))).toEqual(['One long answerOne !'])
  })

  it('drops deltas that turn out to be its end', () => {
    expect(textsOf(resumed(before, [delta('long '), delta('answer'), delta('!')]))).toEqual([
      'One long answer!',
    ])
  })

  it('is whole with its item', () => {
    const whole = item({ type: 'agentMessage', id: 'm', text: 'One.' })
    expect(textsOf(resumed(before, [delta('x'), whole, delta('y')]))).toEqual(['One.'])
  })
})

describe('the turn of a resumed state', () => {
  it('goes on if its start comes again, or the end of the turn before', () => {
    const turns = [begin(turnId, 100), end('completed', 200), begin('second', 1000)]
    const begun = note('item/started', {
      turnId: 'second',
      item: { type: 'agentMessage', id: 'm', text: '' },
    })
    const state = resumed([thread, ...turns, begun], turns)
    expect(state.turn).toMatchObject({ status: 'running', startedAt: '1970-01-01T00:00:01.000Z' })
    expect(state.blocks.at(-1)).toMatchObject({ status: 'pending' })
  })

  it('was stopped if another turn starts', () => {
    const state = resumed([thread, begin(), start], [begin('next', 5000)])
    expect(state.turn).toMatchObject({ status: 'running', startedAt: '1970-01-01T00:00:05.000Z' })
    expect(state.blocks.at(-1)).toMatchObject({ status: 'complete' })
  })
})

it('ignores the output of a plan whose call it does not know', () => {
  const output = entry({ type: 'function_call_output', call_id: 'p', output: 'Plan updated' })
  expect(resumed([thread, begin()], [output]).blocks).toEqual([])
})

describe('the processes of exec', () => {
  const begun = { type: 'thread.started', thread_id: threadId }
  const turn = { type: 'turn.started' }
  const answer = (text: string) => ({
    type: 'item.completed',
    item: { id: 'item_0', type: 'agent_message', text },
  })
  const done = { type: 'turn.completed', usage: { input_tokens: 5, output_tokens: 1 } }
  const first = [begun, turn, answer('One.'), done]
  const second = [begun, turn, answer('Two.')]

  it.each([1, 2, 4, 5, 6, 7])('keep their numbers at message %i', (cut) => {
    const all = [...first, ...second]
    expect(resumed(all.slice(0, cut), all.slice(cut)).blocks.map(({ id }) => id)).toEqual([
      'exec:1:item_0',
      'exec:2:item_0',
    ])
  })

  it('have the tokens of each turn', () => {
    const total = { type: 'turn.completed', usage: { input_tokens: 12, output_tokens: 3 } }
    const { usage } = resumed([...first, ...second], [total])
    expect(usage.map(({ inputTokens }) => inputTokens)).toEqual([5, 7])
  })
})
