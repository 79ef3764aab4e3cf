import { describe, expect, it } from 'vitest'
import { createInitialConversationState } from '../../../../src/entries/index.ts'
import { compareSessions } from '../../../../src/entries/parity.ts'
import { claudeSource } from '../../../../src/wires/claude/source.ts'
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

  it('keeps the content of the message', () => {
    const [message] = ofType(readFiles([prompt('p1'), snapshot('p1')]).state, 'user_message')
    expect(message).toMatchObject({ content: 'Do p1.', status: 'complete', checkpoint: true })
  })

  it('of an unknown message changes nothing', () => {
    expect(checkpointsIn(prompt('p1'), snapshot('x'), { type: 'file-history-snapshot' })).toEqual([
      ['p1', undefined],
    ])
  })

  it('stays after a resume, and comes after one', () => {
    const read = (lines: readonly Message[], state = createInitialConversationState()) => {
      const own = lines.map((line) => ({ sessionId: 'session', ...line, session_id: undefined }))
      return claudeSource.read(claudeSource.open(state), own).session.state
    }
    const marked = read([snapshot('p1'), prompt('p1')])
    expect(read([prompt('p1'), snapshot('p1')], marked)).toBe(marked)
    expect(ofType(read([snapshot('p1')], read([prompt('p1')])), 'user_message')).toMatchObject([
      { checkpoint: true },
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
