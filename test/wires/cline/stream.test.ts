import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { clineSource } from '../../../src/entries/cline.ts'
import { recordedForms } from '../../laws/recordings.ts'
import { contentOf } from '../join-law.ts'
import { messagesOf } from '../messages-in.ts'

const streams = [...recordedForms(join(import.meta.dirname, '../../../fixtures/cline'))]
  .filter(({ form }) => form === 'stream')
  .map(({ recording, raw }) => ({ recording, messages: messagesOf('cline', raw) }))

const stateOf = (messages: readonly unknown[]) => clineSource.read(clineSource.open(), messages).session.state

describe('several calls at once', () => {
  const { messages = [] } = streams.find(({ recording }) => recording === '07-three') ?? {}
  const isAnnounced = (message: unknown) => Object(message).hookEventName === 'tool_call'
  const [first, ...others] = messages.filter(isAnnounced).slice(0, 3)
  // A quick program announces them in one millisecond, so their lines are equal.
  const quick = messages.map((message) => (others.includes(message) ? first : message))
  const at = quick.indexOf(first)

  it('are of one agent, though their announcements are equal', () => {
    expect(quick.slice(at, at + 3)).toEqual([first, first, first])
    expect(contentOf(stateOf(quick))).toEqual(contentOf(stateOf(messages)))
  })

  it('stay so if announcements come again', () => {
    const again = [...quick.slice(0, at + 2), ...quick.slice(at - 2)]
    expect(contentOf(stateOf(again))).toEqual(contentOf(stateOf(messages)))
  })
})

describe('two agents whose texts come at the same time', () => {
  const lines: object[] = []
  const add = (line: object) =>
    lines.push({ ts: new Date(Date.UTC(2026, 0, 1) + lines.length).toISOString(), ...line })
  const hook = (hookEventName: string, agentId: string, parentAgentId: string | null = 'm') =>
    add({ type: 'hook_event', hookEventName, agentId, taskId: 't', parentAgentId })
  const event = (type: string, more: object) => add({ type: 'agent_event', event: { type, ...more } })
  const call = (toolCallId: string, toolName: string, input: object) =>
    event('content_start', { contentType: 'tool', toolCallId, toolName, input })
  const said = (text: string, accumulated: string) =>
    event('content_start', { contentType: 'text', text, accumulated })
  const ended = (text: string, inputTokens: number) => {
    event('usage', { inputTokens, totalInputTokens: inputTokens })
    event('content_end', { contentType: 'text', text })
  }
  hook('agent_start', 'm', null)
  for (const agent of ['a', 'b']) {
    hook('tool_call', 'm', null)
    call(`call-${agent}`, 'spawn_agent', { task: agent })
  }
  for (const agent of ['a', 'b']) hook('agent_start', agent)
  said('I ', 'I ')
  said('You ', 'You ')
  said('look.', 'I look.')
  said('see.', 'You see.')

  it.each([
    ['a', 'b'],
    ['b', 'a'],
  ])('have their own words and tokens if %s ends first', (...order) => {
    const before = lines.length
    for (const agent of order) {
      ended(agent === 'a' ? 'I look.' : 'You see.', agent === 'a' ? 7 : 9)
      hook('tool_call', agent)
      call(`${agent}1`, 'run_commands', { commands: ['ls'] })
    }
    const { subagents } = stateOf(lines)
    lines.length = before
    const shown = subagents.map(({ agentId, blocks, usage }) => [
      agentId,
      blocks.map((block) => ('content' in block ? block.content : block.type)),
      usage.map(({ inputTokens }) => inputTokens),
    ])
    expect(shown).toEqual([
      ['a', ['I look.', 'tool_use'], [7]],
      ['b', ['You see.', 'tool_use'], [9]],
    ])
  })
})
