import { describe, expect, it } from 'vitest'
import { acpSource } from '../../src/entries/acp.ts'
import { linesOf } from './reports.ts'

// After reports of strangers about Grok Build: recordings against a mock model have no cost.

const lines = linesOf('grok/cost/updates.jsonl')
const messages = lines.map((line): unknown => JSON.parse(line))

const costOf = (each: readonly unknown[], from = acpSource.open()) =>
  acpSource.read(from, each).session.state.session.costUsd

describe('the cost of a session', () => {
  it('is the sum of the turns', () => {
    expect(costOf(messages.slice(0, 3))).toBe(0.031_25)
    expect(costOf(messages)).toBe(0.05)
  })

  it('counts a turn that comes again once', () => {
    expect(costOf([...messages, ...messages.slice(3)])).toBe(0.05)
    for (const cut of messages.keys()) {
      const { state } = acpSource.read(acpSource.open(), messages.slice(0, cut)).session
      expect(costOf(messages.slice(cut), acpSource.open(state))).toBe(0.05)
    }
  })

  it('is unknown if no turn states it, or if the first one states a part', () => {
    const without = lines.map((line) => JSON.parse(line.replaceAll(/,"costUsdTicks":\d+/g, '')))
    expect(costOf(without)).toBeUndefined()
    const partial = lines.map((line) =>
      JSON.parse(line.replace('"costUsdTicks"', '"costIsPartial":true,"costUsdTicks"')),
    )
    expect(costOf(partial)).toBeUndefined()
  })
})
