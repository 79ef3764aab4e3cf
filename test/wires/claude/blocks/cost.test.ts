import { describe, expect, it, vi } from 'vitest'
import type { Session } from '../../../../src/reading/source.ts'
import { claudeSource } from '../../../../src/wires/claude/source.ts'
import { assistantMessage, type Message, toolResult, toolUse } from '../messages.ts'

/** A turn of main: a call with an answer. */
function turn(session: string, at: number): readonly Message[] {
  const id = `${session}-t${at}`
  return [
    assistantMessage(`${session}-m${at}`, toolUse(id), { uuid: `${id}-call` }),
    toolResult(id, 'out', { uuid: `${id}-result` }),
  ]
}

/** Counts the writes to maps: a measure of cost that no other process disturbs. */
function writesOf(work: () => void): number {
  const set = vi.spyOn(Map.prototype, 'set')
  const remove = vi.spyOn(Map.prototype, 'delete')
  work()
  const writes = set.mock.calls.length + remove.mock.calls.length
  set.mockRestore()
  remove.mockRestore()
  return writes
}

function run(name: string, turns: number, start: Session = claudeSource.open(), from = 0): Session {
  let session = start
  for (let at = from; at < from + turns; at += 1)
    for (const message of turn(name, at)) ({ session } = claudeSource.read(session, [message]))
  return session
}

describe('the cost of a message', () => {
  it('does not grow with the session', () => {
    const short = run('a', 10)
    const long = run('b', 1000)
    const early = writesOf(() => run('a', 10, short, 10))
    const late = writesOf(() => run('b', 10, long, 1000))
    expect(late).toBeLessThanOrEqual(early * 2)
  })

  it('does not grow if sessions alternate, as on a server', () => {
    const turns = 200
    const alone = writesOf(() => {
      run('a', turns)
      run('b', turns)
    })
    const inTurns = writesOf(() => {
      let [left, right] = [claudeSource.open(), claudeSource.open()]
      for (let at = 0; at < turns; at += 1) {
        left = run('a', 1, left, at)
        right = run('b', 1, right, at)
      }
    })
    expect(inTurns).toBeLessThanOrEqual(alone * 3)
  })
})
