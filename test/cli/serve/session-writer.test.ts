import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { ServedLog } from '../../../src/cli/serve/served-log.ts'
import { writerOf } from '../../../src/cli/serve/session-writer.ts'
import type { SessionEvent } from '../../../src/events/event.ts'
import { createInitialConversationState, reduceSessionEvents } from '../../../src/index.ts'

/** A text that comes as final, and whose last line may still go on. */
function late(content: string): readonly SessionEvent[] {
  return [{ type: 'block:upsert', block: { type: 'assistant_text', id: 'a', status: 'complete', content } }]
}

describe('the writer of a redacted session', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  function begun() {
    const log = new ServedLog()
    const writer = writerOf(log, true)
    writer.append([{ type: 'session:idle', outcome: 'finished' }])
    const shown = () => JSON.stringify(log.snapshot().state.blocks)
    return { writer, shown, log }
  }

  it('shows a line that it holds back after two quiet seconds', () => {
    const { writer, shown } = begun()
    writer.append(late('First.\nSecond'))
    expect(shown()).toContain('First.')
    vi.advanceTimersByTime(1999)
    expect(shown()).not.toContain('Second')
    vi.advanceTimersByTime(1)
    expect(shown()).toContain('Second')
  })

  it('counts the two seconds from the last part, and shows no half of a key', () => {
    const { writer, shown, log } = begun()
    const key = 'ghp_0123456789abcdefghijABCDEFGHIJ012345'
    for (let end = 10; end < key.length; end += 10) {
      writer.append(late(`First.\n${key.slice(0, end)}`))
      vi.advanceTimersByTime(1500)
    }
    writer.append(late(`First.\n${key}`))
    vi.advanceTimersByTime(2000)
    expect(shown()).toContain('[key]')
    expect(JSON.stringify(log.stamped)).not.toContain('ghp_')
  })

  it('shows the line at once if something follows, and not once more', () => {
    const { writer, shown, log } = begun()
    writer.append(late('First.\nSecond'))
    writer.append([{ type: 'session:running' }])
    expect(shown()).toContain('Second')
    const before = log.stamped.length
    vi.advanceTimersByTime(10_000)
    expect(log.stamped).toHaveLength(before)
  })

  it('forgets the line if another state takes its place', () => {
    const { writer, log } = begun()
    writer.append(late('First.\nSecond'))
    const other = reduceSessionEvents(createInitialConversationState(), late('Other.'))
    writer.replaceState(other)
    vi.advanceTimersByTime(10_000)
    expect(log.stamped).toEqual([])
    expect(log.snapshot().state).toEqual(other)
  })
})

it('writes an event as JSON once for all readers', () => {
  const log = new ServedLog()
  log.append([{ type: 'session:running' }, { type: 'session:idle', outcome: 'finished' }])
  const [first, second] = log.stamped
  if (!first || !second) throw new Error('no events')
  const write = vi.spyOn(JSON, 'stringify')
  const texts = [first, first, first, second, second].map((stamped) => log.jsonOf(stamped))
  expect(write).toHaveBeenCalledTimes(2)
  write.mockRestore()
  expect(texts).toEqual([first, first, first, second, second].map((stamped) => JSON.stringify(stamped)))
})

it('tells the readers of several events once', () => {
  const log = new ServedLog()
  const listener = vi.fn()
  log.subscribe(listener)
  log.append([{ type: 'session:running' }, { type: 'session:idle', outcome: 'finished' }])
  log.append([])
  expect(listener).toHaveBeenCalledTimes(1)
})
