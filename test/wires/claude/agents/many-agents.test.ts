import { expect, it } from 'vitest'
import { claudeSource } from '../../../../src/entries/claude.ts'
import { createInitialConversationState, type SubagentState } from '../../../../src/entries/index.ts'

const AGENTS = 5_000
const TURNS = 100

it('asks few of the agents that have ended whether they run', () => {
  let asked = 0
  const subagents = Array.from(
    { length: AGENTS },
    (_, at): SubagentState => ({
      toolUseId: `c${at}`,
      agentId: `a${at}`,
      parentConversationId: 'main',
      blocks: [],
      usage: [],
      get status() {
        asked += 1
        return 'success' as const
      },
    }),
  )
  let session = claudeSource.open({ ...createInitialConversationState(), subagents })
  const read = (message: object) => {
    session = claudeSource.read(session, [{ session_id: 's', parent_tool_use_id: null, ...message }]).session
  }
  read({ type: 'system', subtype: 'init', uuid: 'i' })
  asked = 0
  for (let at = 0; at < TURNS; at += 1) {
    const message = { id: `m${at}`, role: 'assistant', content: [{ type: 'text', text: 'Done.' }] }
    read({ type: 'user', uuid: `u${at}`, message: { role: 'user', content: 'Go.' } })
    read({ type: 'assistant', uuid: `a${at}`, message: { ...message, stop_reason: 'end_turn' } })
    read({ type: 'result', subtype: 'success', uuid: `r${at}`, is_error: false, result: 'Done.' })
  }
  expect(session.state.turn.status).toBe('finished')
  expect(session.state.blocks).toHaveLength(2 * TURNS)
  expect(asked).toBeLessThan(3 * AGENTS)
})
