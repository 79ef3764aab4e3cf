import { describe, expect, it } from 'vitest'
import type { SessionEvent } from '../../../src/entries/index.ts'
import type { IncomingBlock } from '../../../src/entries/source-kit.ts'
import { delta, fold, idle, lastStep, running, spawn, subagentBlock, text, upsert } from './example.ts'

const start = '2026-01-01T10:00:00.000Z'
const end = '2026-01-01T10:00:05.000Z'

/** Returns the turn after the events. */
function turnAfter(...events: readonly SessionEvent[]) {
  return fold(...events).turn
}

function ended(outcome?: 'finished' | 'interrupted' | 'failed', fields = {}): SessionEvent {
  return { ...idle(), ...(outcome && { outcome }), ...fields } as SessionEvent
}

const prompt = upsert({ id: 'p', type: 'user_message', status: 'complete', content: 'Go.' })

describe('a turn', () => {
  it('does not run in a new session', () => {
    expect(turnAfter()).toEqual({ status: 'idle' })
  })

  it('starts at the time of its first block, or else of the event', () => {
    const event = (block: IncomingBlock): SessionEvent => ({ type: 'block:upsert', block, timestamp: end })
    expect(turnAfter(event(text('a', { timestamp: start }))).startedAt).toBe(start)
    expect(turnAfter(event(text('a'))).startedAt).toBe(end)
  })

  it('that runs already stays the same', () => {
    const { before, after } = lastStep(running, running)
    expect(after.turn).toBe(before.turn)
    expect(after).toBe(before)
  })

  it('does not start with an agent that another agent announces', () => {
    expect(turnAfter(spawn('T'), subagentBlock('C', {}, 'T'))).toEqual({ status: 'idle' })
  })

  it('keeps its first start', () => {
    const later: SessionEvent = { type: 'session:running', timestamp: end }
    expect(turnAfter({ type: 'session:running', timestamp: start }, later).startedAt).toBe(start)
    expect(turnAfter(running, later).startedAt).toBe(end)
    expect(turnAfter(running, upsert(text('a', { timestamp: end })))).toEqual({ status: 'running' })
  })

  it('does not start again when a finished text grows, or a message comes twice', () => {
    const all = [prompt, upsert(text('a')), idle()]
    expect(turnAfter(...all, delta('a', 'late')).status).toBe('finished')
    expect(turnAfter(...all, prompt).status).toBe('finished')
    expect(turnAfter(...all, upsert(text('a'))).status).toBe('finished')
    expect(turnAfter(subagentBlock('T'), idle(), subagentBlock('T')).status).toBe('finished')
  })
})

describe('the end of a turn', () => {
  it.each(['finished', 'interrupted', 'failed'] as const)('has the outcome %s', (outcome) => {
    expect(turnAfter(prompt, ended(outcome)).status).toBe(outcome)
  })

  it('without an outcome is finished', () => {
    expect(turnAfter(prompt, idle()).status).toBe('finished')
    expect(turnAfter(idle()).status).toBe('idle')
  })

  it('is not the idle of an agent', () => {
    expect(turnAfter(running, spawn('T'), idle('T'))).toEqual({ status: 'running' })
  })

  it('has the error of a failure', () => {
    const failed = ended('failed', { error: 'overloaded' })
    expect(turnAfter(prompt, failed)).toEqual({ status: 'failed', error: 'overloaded' })
    expect(turnAfter(prompt, failed, ended('failed'))).toEqual({ status: 'failed', error: 'overloaded' })
    expect(turnAfter(prompt, failed, ended('interrupted'))).toEqual({ status: 'interrupted' })
    expect(turnAfter(prompt, failed, running)).toEqual({ status: 'running' })
  })

  it('that is repeated without an outcome changes nothing', () => {
    const { before, after } = lastStep(
      prompt,
      ended('interrupted', { timestamp: start }),
      ended(undefined, { timestamp: end }),
    )
    expect(after).toBe(before)
  })

  it('gets a late outcome and keeps its time', () => {
    const late = ended('interrupted', { timestamp: end })
    expect(turnAfter(prompt, ended(undefined, { timestamp: start }), late)).toEqual({
      status: 'interrupted',
      endedAt: start,
    })
  })

  it('has no duration if its times are in the wrong order, or are no times', () => {
    const from = (startedAt: string, endedAt: string) =>
      turnAfter({ type: 'session:running', timestamp: startedAt }, ended(undefined, { timestamp: endedAt }))
        .durationMs
    expect(from(start, start)).toBe(0)
    expect(from(end, start)).toBeUndefined()
    expect(from(start, 'soon')).toBeUndefined()
    expect(from('soon', end)).toBeUndefined()
  })
})
