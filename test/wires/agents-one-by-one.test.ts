import { describe, expect, it } from 'vitest'
import { codexSource } from '../../src/entries/codex.ts'
import { createInitialConversationState, type SubagentState } from '../../src/entries/index.ts'
import type { Source } from '../../src/reading/source.ts'
import { acpSource } from '../../src/wires/acp/source.ts'
import { call, callUpdate, prompt, text, update } from './acp/messages.ts'
import { beginTurn, item, note, turnOf } from './codex/made-lines.ts'

/** The agents that have ended before, and those that come now. */
const BEFORE = 2_000
const LATER = 100

/** Agents of a state that count how often somebody asks for their ids or status. */
function countingAgents(): { readonly agents: readonly SubagentState[]; readonly asked: { count: number } } {
  const asked = { count: 0 }
  const counted = <Value>(value: Value): Value => {
    asked.count += 1
    return value
  }
  const agents = Array.from(
    { length: BEFORE },
    (_, at): SubagentState => ({
      get toolUseId() {
        return counted(`before${at}`)
      },
      get agentId() {
        return counted(`agent${at}`)
      },
      get status() {
        return counted('success' as const)
      },
      parentConversationId: 'main',
      blocks: [],
      usage: [],
    }),
  )
  return { agents, asked }
}

interface Program {
  readonly source: Source
  readonly begin: readonly unknown[]
  /** The messages of one agent, from its call to its end. */
  readonly agent: (id: string) => readonly unknown[]
}

const PROGRAMS: Readonly<Record<string, Program>> = {
  'the app-server of Codex': {
    source: codexSource,
    begin: beginTurn,
    agent: (id) => [
      item({ type: 'subAgentActivity', id: `call-${id}`, kind: 'started', agentThreadId: id }),
      turnOf(id, `turn-${id}`, 'turn'),
      note('item/completed', { threadId: id, item: { type: 'agentMessage', id: `m-${id}`, text: 'Done.' } }),
      note('turn/completed', { threadId: id, turn: { id: `turn-${id}`, status: 'completed' } }),
    ],
  },
  'subagent_update of ACP': {
    source: acpSource,
    begin: [prompt(1, 'Go.')],
    agent: (id) => [
      call(`call-${id}`, { title: 'Part', status: 'in_progress' }),
      callUpdate(`call-${id}`, { content: [{ type: 'session', sessionId: id }] }),
      update('subagent_update', { sessionId: id, title: 'Part', state: { state: 'running' } }),
      text(`m-${id}`, 'Done.', id),
      update('subagent_update', { sessionId: id, title: 'Part', state: { state: 'idle' } }),
      callUpdate(`call-${id}`, { status: 'completed' }),
    ],
  },
}

// Each new agent asked all earlier ones, so that the cost grew with the square of their number.
describe.each(Object.entries(PROGRAMS))('%s', (_, { source, begin, agent }) => {
  it('asks few of the agents that have ended when others come one by one', () => {
    const { agents, asked } = countingAgents()
    let session = source.open({ ...createInitialConversationState(), subagents: agents })
    const read = (messages: readonly unknown[]) => {
      for (const message of messages) session = source.read(session, [message]).session
    }
    read(begin)
    asked.count = 0
    for (let at = 0; at < LATER; at += 1) read(agent(`k${at}`))
    const later = session.state.subagents.slice(BEFORE)
    expect(later.map(({ status, blocks }) => [status, blocks.length])).toEqual(
      Array.from({ length: LATER }, () => ['success', 1]),
    )
    // The first look at them makes the look-ups. Each later agent would ask all of them.
    expect(asked.count).toBeLessThan(12 * BEFORE)
  })
})
