import { describe, expect, it } from 'vitest'
import { textsOf } from '../../recordings.ts'
import { assistantMessage, type Message, modelSays, readFiles, userMessage } from '../messages.ts'

// Files of 2.1.207 that another program wrote have calls without an id, a prompt and a result.
const call = (description: string): Message => ({ type: 'tool_use', name: 'Task', input: { description } })
const stopHook = (type = 'hook_success'): Message => ({
  type: 'attachment',
  attachment: { type, hookName: 'SubagentStop', hookEvent: 'SubagentStop', content: '' },
})
const work: readonly Message[] = [userMessage('Look.'), modelSays('s1', 'Looked.')]
const main = [
  userMessage('Go.'),
  assistantMessage('m1', call('First')),
  assistantMessage('m2', call('Second')),
]

describe('an agent whose call has no id', () => {
  it('is an agent of its own, and has the lines of the next agent without a call', () => {
    const { state } = readFiles(main, { a1: { lines: work } })
    expect(state.subagents.map((agent) => [agent.description, agent.agentId, textsOf(agent)])).toEqual([
      ['First', 'a1', ['Looked.']],
      ['Second', undefined, []],
    ])
  })

  it('has ended with the hook of its stop, if nothing follows', () => {
    const statusAfter = (...lines: readonly Message[]) =>
      readFiles(main, { a1: { lines: [...work, ...lines] } }).state.subagents[0]?.status
    expect(statusAfter()).toBe('error')
    expect(statusAfter(stopHook())).toBe('success')
    expect(statusAfter(stopHook('hook_blocking_error'))).toBe('error')
    expect(statusAfter(stopHook(), modelSays('s2', 'More.'))).toBe('error')
  })
})
