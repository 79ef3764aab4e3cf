import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { TurnStatus } from '../../../src/core/state/turn.ts'
import { buildSessionTree, type ConversationBlock, type SubagentState } from '../../../src/entries/index.ts'
import { agent, idsIn, lineages, outline, spent, stateOf } from './agents.ts'

function text(id: string, status: 'pending' | 'complete' = 'complete'): ConversationBlock {
  return { id, type: 'assistant_text', status, content: id, conversationId: 'main' }
}

describe('the shape of the tree', () => {
  it('has only main, its root, in an empty session', () => {
    expect(buildSessionTree(stateOf([]))).toStrictEqual({
      conversationId: 'main',
      status: 'pending',
      lineage: 'root',
      blockCount: 0,
      toolCount: 0,
      usage: {
        own: { final: { messages: 0 }, provisional: { messages: 0 } },
        total: { final: { messages: 0 }, provisional: { messages: 0 } },
      },
      children: [],
    })
  })

  it('has children in the order of their start', () => {
    const state = stateOf([agent('A', 'main'), agent('C', 'A'), agent('B', 'main'), agent('D', 'A')])
    expect(outline(buildSessionTree(state))).toEqual(['main', ['A', ['C'], ['D']], ['B']])
  })

  it('finds parents that come after their children', () => {
    const state = stateOf([agent('C', 'B'), agent('B', 'A'), agent('A', 'main')])
    expect(outline(buildSessionTree(state))).toEqual(['main', ['A', ['B', ['C']]]])
  })

  it.each(['__proto__', 'constructor', ''])('accepts the id %j', (id) => {
    const state = stateOf([agent(id, 'main'), agent('A', id)])
    expect(outline(buildSessionTree(state))).toEqual(['main', [id, ['A']]])
  })
})

describe('bad data', () => {
  it('puts an agent with an unknown or missing parent below main', () => {
    const state = stateOf([agent('A'), agent('B', 'missing'), agent('C', 'B')])
    expect(outline(buildSessionTree(state))).toEqual(['main', ['A'], ['B', ['C']]])
  })

  it('puts an agent that is its own parent below main', () => {
    expect(outline(buildSessionTree(stateOf([agent('A', 'A'), agent('B', 'A')])))).toEqual([
      'main',
      ['A', ['B']],
    ])
  })

  it('cuts a cycle once, and keeps all its agents', () => {
    const state = stateOf([
      agent('A', 'C'),
      agent('B', 'A'),
      agent('C', 'B'),
      agent('D', 'C'),
      agent('E', 'main'),
    ])
    const tree = buildSessionTree(state)
    expect(outline(tree)).toEqual(['main', ['E'], ['A', ['B', ['C', ['D']]]]])
  })

  it('gives each agent its lineage', () => {
    const state = stateOf([
      agent('child', 'main'),
      agent('below', 'child'),
      agent('unknown'),
      agent('lost', 'missing'),
      agent('tail', 'B'),
      agent('A', 'B'),
      agent('B', 'A'),
    ])
    const tree = buildSessionTree(state)
    expect(lineages(tree)).toEqual({
      main: 'root',
      child: 'child',
      below: 'child',
      unknown: 'orphan',
      lost: 'orphan',
      B: 'cycle',
      A: 'child',
      tail: 'child',
    })
  })

  it('keeps all agents beside an agent with the id of main', () => {
    const tree = buildSessionTree(stateOf([agent('main', 'main'), agent('A', 'main')]))
    expect(tree.children.map(({ conversationId: id }) => id)).toEqual(['main', 'A'])
  })

  it('shows and counts each agent exactly once, with any parents', () => {
    const ids = ['A', 'B', 'C', 'D', '__proto__', '']
    const parent = fc.option(fc.constantFrom('main', 'missing', ...ids), { nil: undefined })
    const parents = fc.tuple(...ids.map(() => parent))
    fc.assert(
      fc.property(parents, fc.shuffledSubarray(ids), (parentOf, present) => {
        const subagents = present.map((id, at) =>
          agent(id, parentOf[at], { usage: [spent(`m of ${id}`, 1)] }),
        )
        const tree = buildSessionTree(stateOf(subagents))
        expect([...idsIn(tree)].sort()).toEqual(['main', ...present].sort())
        expect(tree.usage.total.final.messages).toBe(present.length)
      }),
    )
  })

  it('counts the usage of a cycle once', () => {
    const state = stateOf([
      agent('A', 'B', { usage: [spent('m', 1)] }),
      agent('B', 'A', { usage: [spent('n', 2)] }),
    ])
    expect(buildSessionTree(state).usage.total.final).toEqual({ messages: 2, outputTokens: 3 })
  })
})

describe('an agent', () => {
  it('has its known facts', () => {
    const facts = {
      agentId: 'X',
      name: 'Explore',
      description: 'looks',
      status: 'success',
      durationMs: 5,
    } as const
    const call = {
      id: 'u',
      type: 'tool_use',
      status: 'complete',
      toolName: 'Read',
      toolUseId: 'u',
      input: 0,
    } as const
    const blocks = [
      text('first'),
      { ...call, conversationId: 'A' },
      text('last'),
      { ...call, conversationId: 'A' },
    ]
    const [node] = buildSessionTree(stateOf([agent('A', 'main', { ...facts, blocks })])).children
    expect(node).toMatchObject({
      conversationId: 'A',
      ...facts,
      blockCount: 4,
      toolCount: 2,
      lastText: 'last',
      children: [],
    })
  })

  it('has no keys for unknown facts', () => {
    const [node] = buildSessionTree(stateOf([agent('A', 'main')])).children
    expect(Object.keys(node ?? {}).sort()).toEqual(
      ['conversationId', 'status', 'lineage', 'blockCount', 'toolCount', 'usage', 'children'].sort(),
    )
  })
})

it.each<[TurnStatus, SubagentState['status']]>([
  ['idle', 'pending'],
  ['running', 'running'],
  ['finished', 'success'],
  ['interrupted', 'error'],
  ['failed', 'error'],
])('main with a turn that is %s has the status %s', (status, expected) => {
  expect(buildSessionTree(stateOf([], { turn: { status } })).status).toBe(expected)
})
