import { isDeepStrictEqual } from 'node:util'
import { describe, expect, it } from 'vitest'
import type { SubagentStatus } from '../../src/core/state/subagent.ts'
import {
  type ConversationBlock,
  loadSession,
  pendingRequests,
  type SessionConversationState,
  saveSession,
} from '../../src/entries/index.ts'
import type { Session } from '../../src/reading/source.ts'
import { inputs, type RecordedInput } from './inputs.ts'
import { contentOf, cutsOf, hasAllInState } from './join-law.ts'

const CUTS = 12

/** The recordings from their beginning. */
const recordings = inputs.filter(({ name }) => !/, late |40-all-line-types/.test(name))

/** A state of Kimi does not say whether it is live. A live one that waits goes on waiting, as a file does. A hub withdraws its requests. */
const isOfUnknownForm = ({ name }: RecordedInput) => name.startsWith('kimi, 11c-permission-web, events')

// A server restarts, and the program has died while it waited: the page kept a button that nobody could answer.
describe.each(recordings)('$name', (input) => {
  it('ends a state as a saved session, wherever the program has died', () => {
    const { source, messages } = input
    let session = source.open()
    const cuts = new Set(cutsOf(input, CUTS))
    for (const [at, message] of messages.entries()) {
      session = source.read(session, [message]).session
      if (!cuts.has(at + 1) && pendingRequests(session.state).length === 0) continue
      if (hasAllInState(input, session, at + 1)) expectSameEnd(input, session, `cut ${at + 1}`)
    }
  })
})

function expectSameEnd(input: RecordedInput, session: Session, name: string): void {
  const { source } = input
  const saved = source.end(loadSession(source, JSON.parse(JSON.stringify(saveSession(session)))))
  const opened = source.end(source.open(session.state))
  if (isOfUnknownForm(input)) return
  expect(waiting(opened.session.state), name).toEqual(waiting(saved.session.state))
  const [left, right] = [opened, saved].map(({ session: { state } }) => withoutUnknown(session.state, state))
  if (!isDeepStrictEqual(left, right)) expect(left, name).toEqual(right)
  if (!isRunning(session.state)) expect(opened.ending, name).toBe(saved.ending)
}

/**
 * Returns the content of a state at its end, without two facts. Between an answer and the report of its end, a state
 * does not say whether the model would go on (docs/reopening.md, "facts about what has no block yet"). So `end` says
 * `finished` or `interrupted` of a turn that ran, and `success` or `error` of an agent that ran, by the last block.
 */
function withoutUnknown(before: SessionConversationState, ended: SessionConversationState): unknown {
  const ran = new Set(
    before.subagents.filter(({ status }) => status === 'running').map((agent) => agent.toolUseId),
  )
  const withStatus = <Agent extends { readonly toolUseId: string; readonly status: SubagentStatus }>(
    agent: Agent,
  ): Agent => (ran.has(agent.toolUseId) && agent.status !== 'running' ? { ...agent, status: 'error' } : agent)
  return contentOf({
    ...ended,
    turn: isRunning(before) && !isRunning(ended) ? before.turn : ended.turn,
    blocks: ended.blocks.map((block) => (block.type === 'subagent' ? withStatus(block) : block)),
    subagents: ended.subagents.map((agent) => {
      if (!ran.has(agent.toolUseId)) return agent
      // The blocks that an end makes final are `error` after a failure.
      const blocks = agent.blocks.map((block) =>
        wasPending(before, block) ? { ...block, status: 'error' as const } : block,
      )
      return { ...withStatus(agent), blocks }
    }),
  })
}

function wasPending(
  { subagents }: SessionConversationState,
  { id, conversationId }: ConversationBlock,
): boolean {
  const agent = subagents.find(({ toolUseId }) => toolUseId === conversationId)
  return (
    agent?.blocks.some((block) => block.id === id && 'status' in block && block.status === 'pending') === true
  )
}

function isRunning({ turn }: SessionConversationState): boolean {
  return turn.status === 'running'
}

function waiting(state: SessionConversationState): readonly string[] {
  return pendingRequests(state).map(({ block }) => block.id)
}
