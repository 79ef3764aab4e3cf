import { describe, expect, it } from 'vitest'
import { loadSession, saveSession } from '../../../../src/entries/index.ts'
import { acpSource } from '../../../../src/wires/acp/source.ts'
import { call, callUpdate, fold, named, prompt, stop, text, update } from '../messages.ts'

// No recording has these messages: they follow the source of codex-acp 1.6, which shows the newer agents of Codex as
// calls with `_meta.codex.subagent`.

const NAMED = named('@agentclientprotocol/codex-acp')

const facts = (activity: string, threadId = 'thread-a') => ({
  rawInput: { agentThreadId: threadId, agentPath: '/root/helper', activityKind: activity },
  _meta: { codex: { subagent: { threadId, path: '/root/helper', activity } } },
})
const started = (id: string, threadId?: string) => [
  call(id, { title: 'Start subagent helper', status: 'in_progress', ...facts('started', threadId) }),
  callUpdate(id, { status: 'completed', ...facts('started', threadId) }),
]
const activity = (id: string, kind: string) => call(id, { title: kind, status: 'completed', ...facts(kind) })

const AGENT = { toolUseId: 'spawn', agentId: 'thread-a', description: 'helper' }

describe('an agent that codex-acp shows as an activity', () => {
  it.each([
    ['interrupted', 'error'],
    ['completed', 'success'],
  ])('ends by the activity %s', (kind, status) => {
    const { state } = fold([...NAMED, prompt(1, 'Help.'), ...started('spawn'), activity('end', kind)], {
      isOpen: true,
    })
    expect(state.subagents).toMatchObject([{ ...AGENT, status }])
    expect(state.blocks.some(({ type }) => type === 'tool_use')).toBe(kind === 'interrupted')
  })

  it('has failed if its start has', () => {
    const failed = callUpdate('spawn', { status: 'failed', ...facts('started') })
    const { state } = fold([...NAMED, prompt(1, 'Help.'), ...started('spawn').slice(0, 1), failed, stop(1)])
    expect(state.subagents).toMatchObject([{ ...AGENT, status: 'error' }])
  })

  it.each(['state', 'saved session'])('is over with the turn behind a %s, at any cut', (kind) => {
    const lines = [...NAMED, prompt(1, 'Help.'), ...started('spawn'), text('m', 'Done.'), stop(1)]
    const whole = fold(lines, { isOpen: true }).state
    for (const cut of lines.keys()) {
      const { session } = acpSource.read(acpSource.open(), lines.slice(0, cut))
      const again =
        kind === 'state' ? acpSource.open(session.state) : loadSession(acpSource, saveSession(session))
      const { state } = acpSource.read(again, lines.slice(cut)).session
      expect([state.subagents, state.turn]).toEqual([whole.subagents, whole.turn])
    }
  })

  it('is one agent with its session, whichever comes first', () => {
    const child = 's:subagent:thread-a'
    const announced = update('subagent_update', { sessionId: child, state: { state: 'running' } })
    const words = text('c', 'I help.', child)
    for (const messages of [
      [...started('spawn'), announced, words],
      [announced, words, ...started('spawn')],
    ]) {
      const { state } = fold([...NAMED, prompt(1, 'Help.'), ...messages], { isOpen: true })
      expect(state.subagents).toMatchObject([
        { ...AGENT, status: 'running', blocks: [{ content: 'I help.' }] },
      ])
    }
  })

  it('is the same agent if its activity comes again', () => {
    const lines = [
      ...NAMED,
      prompt(1, 'Help.'),
      ...started('spawn'),
      ...started('spawn'),
      ...started('later'),
    ]
    expect(fold(lines, { isOpen: true }).state.subagents).toMatchObject([AGENT])
  })
})
