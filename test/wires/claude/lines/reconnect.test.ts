import { describe, expect, it } from 'vitest'
import { depth, sampleOf } from '../../../depth.ts'
import { type Recording, recording, recordings, replay, textsOf } from '../../recordings.ts'
import {
  blockStart,
  type Message,
  messageStart,
  modelCalls,
  modelSays,
  text,
  textDelta,
  toolResult,
  toText,
  userMessage,
  withUuids,
} from '../messages.ts'

const stateOf = (messages: readonly Message[]) => replay(toText(messages)).state

/** The result of reading a text: its state and its ending. */
function outcomeOf(text: string) {
  const { state, ending } = replay(text)
  return { state, ending }
}

/** Small recordings' streams as lines. The tests try a repetition at some places. */
const small = recordings.filter(({ stream }) => stream.length < 60_000)
const linesOf = ({ stream }: Pick<Recording, 'stream'>) => stream.split('\n').filter((line) => line !== '')

describe('the same line twice', () => {
  const message = withUuids([
    messageStart('m1'),
    blockStart('m1', 0, text('')),
    textDelta('m1', 0, 'Hel'),
    textDelta('m1', 0, 'lo'),
    modelSays('m1', 'Hello'),
    modelCalls('m1', 't1'),
    toolResult('t1', 'out'),
    userMessage('Thanks.'),
  ])

  it('changes nothing, at any place', () => {
    const once = stateOf(message)
    for (const at of message.keys())
      expect(stateOf([...message.slice(0, at + 1), ...message.slice(at)])).toEqual(once)
  })

  it('does not double the text of a message that streams', () => {
    const cut = message.slice(0, 4)
    const twice = [...message.slice(0, 4), ...message.slice(3, 4)]
    expect(textsOf(stateOf(twice))).toEqual(textsOf(stateOf(cut)))
  })
})

it.each(['08e-main-drop', '07d-send-message', '10-compact'].map(recording))(
  'a line that is repeated late changes nothing, at some places: $name',
  ({ stream }) => {
    const once = replay(stream).state
    for (const line of sampleOf(linesOf({ stream }), depth({ few: 8, all: 100 })))
      expect(replay(stream + line).state, line).toEqual(once)
  },
)

it.each(small)(
  'a stream that is read again from an earlier line gives the same state: $name',
  ({ stream }) => {
    const lines = linesOf({ stream })
    const once = outcomeOf(stream)
    const step = Math.max(1, Math.floor(lines.length / depth({ few: 2, all: 6 })))
    for (let from = 0; from < lines.length; from += step)
      for (let to = from + step; to <= lines.length; to += step) {
        const again = [...lines.slice(0, to), ...lines.slice(from)]
        expect(outcomeOf(again.join('\n')), `lines ${from} to ${to} again`).toEqual(once)
      }
  },
)
