import { describe, expect, it } from 'vitest'
import { buildSessionTree } from '../../../src/entries/index.ts'
import { agent, spent, stateOf } from './agents.ts'

describe('usage', () => {
  const state = stateOf(
    [
      agent('A', 'main', { usage: [spent('a', 10), spent('p', 5, false)] }),
      agent('B', 'A', { usage: [spent('b', 100)] }),
      agent('C', 'main'),
    ],
    { usage: [spent('m', 1)] },
  )

  it('has an agent’s own sums, and its sums with all agents below it', () => {
    const tree = buildSessionTree(state)
    const [A, C] = tree.children
    expect(tree.usage.own.final).toEqual({ messages: 1, outputTokens: 1 })
    expect(tree.usage.total.final).toEqual({ messages: 3, outputTokens: 111 })
    expect(A?.usage.own.final).toEqual({ messages: 1, outputTokens: 10 })
    expect(A?.usage.total.final).toEqual({ messages: 2, outputTokens: 110 })
    expect(A?.children[0]?.usage).toMatchObject({ own: { final: { outputTokens: 100 } } })
    expect(C?.usage.total.final).toStrictEqual({ messages: 0 })
  })

  it('sums provisional figures separately at each level', () => {
    const { usage } = buildSessionTree(state)
    expect(usage.own.provisional).toStrictEqual({ messages: 0 })
    expect(usage.total.provisional).toStrictEqual({ messages: 1, outputTokens: 5 })
  })

  it('counts a parent’s message once, although a forked agent has a copy', () => {
    const forked = agent('F', 'main', { usage: [spent('m', 1), spent('f', 2)] })
    const tree = buildSessionTree(stateOf([forked], { usage: [spent('m', 1)] }))
    expect(tree.children[0]?.usage.own.final).toEqual({ messages: 1, outputTokens: 2 })
    expect(tree.usage.total.final).toEqual({ messages: 2, outputTokens: 3 })
  })

  it('counts it once in a fork of a fork too', () => {
    const forks = [
      agent('F', 'main', { usage: [spent('m', 1), spent('f', 2)] }),
      agent('G', 'F', { usage: [spent('m', 1), spent('f', 2), spent('g', 4)] }),
    ]
    const tree = buildSessionTree(stateOf(forks, { usage: [spent('m', 1)] }))
    expect(tree.usage.total.final).toEqual({ messages: 3, outputTokens: 7 })
  })

  it('counts messages with the same id in siblings, because they are not copies', () => {
    const siblings = [
      agent('A', 'main', { usage: [spent('x', 1)] }),
      agent('B', 'main', { usage: [spent('x', 2)] }),
    ]
    expect(buildSessionTree(stateOf(siblings)).usage.total.final).toEqual({ messages: 2, outputTokens: 3 })
  })
})

describe('agents that are nested 100,000 deep', () => {
  const depth = 100_000
  const chain = Array.from({ length: depth }, (_, at) =>
    agent(`T${at}`, at === 0 ? 'main' : `T${at - 1}`, { usage: [spent(`m${at}`, 1)] }),
  )

  it.each([
    ['parents first', chain],
    ['children first', [...chain].reverse()],
  ])('do not overflow: %s', (_, subagents) => {
    const tree = buildSessionTree(stateOf(subagents))
    let levels = 0
    for (let node = tree.children[0]; node; node = node.children[0]) levels += 1
    expect(levels).toBe(depth)
    expect(tree.usage.total.final).toEqual({ messages: depth, outputTokens: depth })
  })
})
