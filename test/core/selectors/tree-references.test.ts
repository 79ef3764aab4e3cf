import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { sessionLog } from '../../../src/entries/arbitraries.ts'
import {
  type AgentNode,
  buildSessionTree,
  createInitialConversationState,
  findSubagent,
  reduceSessionEvent,
  type SessionConversationState,
} from '../../../src/entries/index.ts'
import { unrulyEvents } from '../../unruly-events.ts'

function nodesIn(root: AgentNode): readonly AgentNode[] {
  const all = [root]
  for (const node of all) all.push(...node.children)
  return all
}

it('the tree of each state equals that of a copy, which no earlier state can help', () => {
  fc.assert(
    fc.property(fc.oneof(sessionLog(), unrulyEvents()), (log) => {
      let state: SessionConversationState = createInitialConversationState()
      for (const event of log) {
        state = reduceSessionEvent(state, event)
        expect(buildSessionTree(state)).toEqual(buildSessionTree(structuredClone(state)))
      }
    }),
  )
})

it('a node is the same object as before if neither its agent nor an agent below it has changed', () => {
  fc.assert(
    fc.property(sessionLog(), (log) => {
      let state: SessionConversationState = createInitialConversationState()
      for (const event of log) {
        const next = reduceSessionEvent(state, event)
        const before = new Map(nodesIn(buildSessionTree(state)).map((node) => [node.conversationId, node]))
        const isUnchanged = ({ conversationId: id }: AgentNode) =>
          id !== 'main' && findSubagent(next, id) === findSubagent(state, id)
        for (const node of nodesIn(buildSessionTree(next)))
          if (nodesIn(node).every(isUnchanged)) expect(node).toBe(before.get(node.conversationId))
        state = next
      }
    }),
  )
})

it('main’s node is the same object as before after an event that the tree does not show', () => {
  const state = reduceSessionEvent(createInitialConversationState(), { type: 'session:running' })
  const next = reduceSessionEvent(state, { type: 'todos:updated', todos: [] })
  expect(next).not.toBe(state)
  expect(buildSessionTree(next)).toBe(buildSessionTree(state))
})
