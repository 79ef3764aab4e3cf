import { describe, expect, it } from 'vitest'
import { compareSessions } from '../../../../src/entries/parity.ts'
import { publicRecordings } from '../../public/recording.ts'
import { messagesIn, ofType, replay } from '../../recordings.ts'
import { finalAnswer, type Message, readFiles, readStream, userMessage } from '../messages.ts'

const prompt = (uuid: string) => userMessage(`Do ${uuid}.`, { uuid })
const snapshot = (messageId: string, inner = messageId): Message => ({
  ...{ type: 'file-history-snapshot', messageId, isSnapshotUpdate: messageId !== inner },
  snapshot: { messageId: inner, trackedFileBackups: {} },
})

const checkpointsIn = (...lines: readonly Message[]) =>
  ofType(readFiles(lines).state, 'user_message').map(({ id, checkpoint }) => [id, checkpoint])

describe('a snapshot of the files', () => {
  it.each([
    ['before its message', [snapshot('p1'), prompt('p1')]],
    ['after it', [prompt('p1'), snapshot('p1')]],
    ['after the answer', [prompt('p1'), finalAnswer, snapshot('p1')]],
    ['twice', [snapshot('p1'), prompt('p1'), snapshot('p1')]],
    ['as an update under the id of a later line', [prompt('p1'), snapshot('a1', 'p1')]],
  ])('marks the message that it stands for: %s', (_, lines) => {
    expect(checkpointsIn(...lines, prompt('p2'))).toEqual([
      ['p1', true],
      ['p2', undefined],
    ])
  })

  it('is no difference from a stream, which does not report it', () => {
    const live = readStream(prompt('p1'), finalAnswer).state
    const stored = readFiles([snapshot('p1'), prompt('p1'), finalAnswer]).state
    expect(compareSessions(live, stored).differences.filter(({ kind }) => kind === 'block')).toEqual([])
  })

  it('marks messages in every public recording with snapshots', () => {
    const lines = (raw: unknown) => (typeof raw === 'string' ? raw : Reflect.get(Object(raw), 'main'))
    let marked = 0
    for (const { name, raw, expected } of publicRecordings('claude-code')) {
      const text: string = lines(raw)
      if (expected.refused || !text.includes('"file-history-snapshot"') || name.includes('40-all')) continue
      const saved = new Set(
        (text.includes('}{') ? [] : messagesIn(text)).map((line) => Object(line).snapshot?.messageId),
      )
      const { state } = replay(raw)
      for (const { id, checkpoint } of ofType(state, 'user_message')) {
        if (saved.size > 0) expect(checkpoint ?? false).toBe(saved.has(id))
        if (checkpoint) marked += 1
      }
    }
    expect(marked).toBeGreaterThan(50)
  })
})
