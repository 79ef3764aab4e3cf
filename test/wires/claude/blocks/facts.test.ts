import { describe, expect, it } from 'vitest'
import {
  agentCall,
  assistantMessage,
  fromSubagent,
  init,
  type Message,
  readFiles,
  readStream,
  text,
  turnResult,
  userMessage,
} from '../messages.ts'

const factsOf = (...messages: readonly Message[]) => readStream(...messages).state.session

describe('the facts of the session', () => {
  it('come from the start of a turn', () => {
    expect(factsOf(init)).toEqual({
      id: 'session',
      model: 'claude-opus-5-5',
      cwd: '/srv/demo',
      program: 'claude-code',
      version: '2.1.330',
      tools: ['Task', 'Bash'],
    })
  })

  it('come from the lines of a file, and the model from its messages', () => {
    const { state } = readFiles([userMessage('Go.'), assistantMessage('m1', text('Hi.'))])
    expect(state.session).toEqual({
      id: 'session',
      cwd: '/srv/demo',
      program: 'claude-code',
      version: '2.1.330',
      model: 'claude-opus-5-5',
    })
  })

  it('are reported once, although every turn repeats them', () => {
    const { events } = readStream(init, assistantMessage('m1', text('Hi.')), init, init)
    expect(events.filter(({ type }) => type === 'session:updated')).toHaveLength(1)
  })

  it('follow a change of the model or the tools', () => {
    const { session } = readStream(init, { ...init, model: 'claude-other', tools: ['Bash'] }).state
    expect(session).toMatchObject({ model: 'claude-other', tools: ['Bash'], version: '2.1.330' })
  })

  it('do not include a subagent’s model', () => {
    const { session } = readStream(
      init,
      assistantMessage('m1', agentCall('t1')),
      assistantMessage('s1', text('Hi.'), fromSubagent('t1', 'a1'), { model: 'claude-small' }),
    ).state
    expect(session.model).toBe('claude-opus-5-5')
  })

  // In 2.1.207, a subagent's file names a session of its own.
  it('do not come from a subagent’s lines, which may name another session and folder', () => {
    const elsewhere = { sessionId: 'agent-a1', cwd: '/srv/other', version: '9.9.9' }
    const { session } = readFiles([userMessage('Go.'), assistantMessage('m1', agentCall('t1'))], {
      a1: { lines: [userMessage('Do t1.', elsewhere), assistantMessage('s1', text('Hi.'), elsewhere)] },
    }).state
    expect(session).toMatchObject({ id: 'session', cwd: '/srv/demo', version: '2.1.330' })
  })

  it('have the cost so far, of all turns and processes', () => {
    const first = turnResult({ total_cost_usd: 0.01 })
    expect(factsOf(init, first).costUsd).toBe(0.01)
    expect(factsOf(init, first, turnResult({ total_cost_usd: 0.03 })).costUsd).toBe(0.03)
  })

  it('have the cost on disk too', () => {
    const { state } = readFiles([userMessage('Go.'), { type: 'cost-state', totalCostUSD: 0.02 }])
    expect(state.session.costUsd).toBe(0.02)
  })

  it('are absent if they are unknown', () => {
    expect(factsOf(assistantMessage('m1', text('Hi.'), {}, { model: undefined }))).toEqual({
      program: 'claude-code',
    })
    expect(factsOf({ ...init, model: undefined, tools: 'all' })).not.toHaveProperty('model')
    expect(factsOf({ ...init, model: undefined, tools: 'all' })).not.toHaveProperty('tools')
  })
})
