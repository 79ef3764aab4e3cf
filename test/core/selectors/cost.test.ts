import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { asObject } from '../../../src/core/json/values.ts'
import {
  contextTokens,
  costOf,
  type Price,
  parseTranscript,
  type SessionConversationState,
} from '../../../src/entries/index.ts'
import { claudeTranscript } from '../../../src/wires/claude/files/session-files.ts'
import { agent, stateOf } from './agents.ts'

const folder = fileURLToPath(new URL('../../../fixtures/claude-code-requests/11-cost/', import.meta.url))
const stream = readFileSync(join(folder, 'stream.ndjson'), 'utf8')

function filesUnder(path: string): Readonly<Record<string, string>> {
  const names = readdirSync(path, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.includes('.json'),
  )
  return Object.fromEntries(names.map((name) => [join(path, name), readFileSync(join(path, name), 'utf8')]))
}

/** The prices of the program, solved from its own figures. */
const prices: Readonly<Record<string, Price>> = {
  'claude-opus-5-5': {
    input: 4,
    output: 20,
    cacheRead: 0.2,
    cacheWrite5m: 5,
    cacheWrite1h: 8,
    webSearch: 0.01,
  },
  'claude-haiku-5-5': { input: 0.1, output: 0.5, cacheRead: 0.01, cacheWrite5m: 0.125, cacheWrite1h: 0.2 },
}
const priceOf = (model: string) => prices[model]

describe('the cost of a recorded session', () => {
  const stored = parseTranscript('claude-sdk', claudeTranscript(filesUnder(join(folder, 'transcript'))))
  const result = asObject(JSON.parse(stream.trim().split('\n').at(-1) ?? ''))

  it('is the figure that the program printed', () => {
    const { usd, unpriced, isProvisional } = costOf(stored, priceOf)
    expect(usd).toBeCloseTo(Number(result.total_cost_usd), 9)
    expect([unpriced, isProvisional]).toEqual([[], false])
  })

  it('belongs to its conversations', () => {
    const [main, child] = costOf(stored, priceOf).conversations
    expect(main?.usd).toBeCloseTo(0.131, 9)
    expect(child?.usd).toBeCloseTo(0.000445, 9)
    expect(main?.totalUsd).toBeCloseTo(0.131445, 9)
  })

  it('is lower and provisional in the stream, which lacks the final tokens of subagents', () => {
    const { usd, isProvisional } = costOf(parseTranscript('claude-sdk', stream), priceOf)
    expect(isProvisional).toBe(true)
    expect(usd).toBeLessThan(0.131445)
    expect(usd).toBeGreaterThan(0.1312)
  })

  it('lists models without a price', () => {
    const { usd, unpriced } = costOf(stored, (model) =>
      model === 'claude-opus-5-5' ? priceOf(model) : undefined,
    )
    expect(usd).toBeCloseTo(0.131, 9)
    expect(unpriced).toEqual(['claude-haiku-5-5'])
  })

  it('leaves 12,200 tokens in the context of main', () => {
    expect(contextTokens(stored)).toBe(150 + 10_500 + 1500 + 50)
    expect(contextTokens(stored, 'nobody')).toBeUndefined()
  })
})

const price: Price = { input: 1e6, output: 0, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0 }
const priceOfM = (model: string) => (model === 'm' ? price : undefined)
const spent = (messageId: string, inputTokens: number) => ({
  messageId,
  inputTokens,
  model: 'm',
  final: true,
})

it('a price without all of its figures is refused by the name of the model, because the sum would be no number', () => {
  const state = stateOf([], { usage: [spent('a', 1)] })
  const listed: object = { input: 1, output: 2, cacheWrite5m: Number.NaN, cacheWrite1h: 0 }
  const cost = () => Reflect.apply(costOf, undefined, [state, () => listed])
  expect(cost).toThrow(new TypeError('priceOf("m"): pass a number for cacheRead, cacheWrite5m'))
})

it('a message that was copied into a forked agent counts once', () => {
  const fork = agent('F', 'main', { usage: [spent('a', 1), spent('b', 2)] })
  const nested = agent('G', 'F', { usage: [spent('b', 2), spent('c', 4)] })
  const { usd, conversations } = costOf(stateOf([nested, fork], { usage: [spent('a', 1)] }), () => price)
  expect(usd).toBe(7)
  expect(conversations).toEqual([
    { conversationId: 'main', usd: 1, totalUsd: 7 },
    { conversationId: 'F', usd: 2, totalUsd: 6 },
    { conversationId: 'G', usd: 4, totalUsd: 4 },
  ])
})

it('a message without a model is unpriced', () => {
  const usage = [{ messageId: 'a', inputTokens: 1, final: true }]
  expect(costOf(stateOf([], { usage }), () => price)).toMatchObject({ usd: 0, unpriced: ['unknown'] })
})

it('a message of main without a model has that of the session, but for programs that state sums of several models so', () => {
  const usage = [{ messageId: 'a', inputTokens: 1, final: true }]
  type Facts = SessionConversationState['session']
  const costIn = (session: Facts) =>
    costOf({ ...stateOf([agent('A', 'main', { usage })]), usage: [], session }, priceOfM)
  const ofMain = (session: Facts) => costOf({ ...stateOf([]), usage, session }, priceOfM)
  expect(ofMain({ model: 'm' })).toMatchObject({ usd: 1, unpriced: [] })
  expect(ofMain({ model: 'n' })).toMatchObject({ usd: 0, unpriced: ['n'] })
  expect(ofMain({ model: 'm', program: 'p' })).toMatchObject({ usd: 0, unpriced: ['unknown'] })
  expect(costIn({ model: 'm' })).toMatchObject({ usd: 0, unpriced: ['unknown'] })
})

it('the context is unknown without the input of a message', () => {
  expect(
    contextTokens(stateOf([], { usage: [{ messageId: 'a', outputTokens: 3, final: true }] })),
  ).toBeUndefined()
})

it('counts that no message states are none', () => {
  const usage = [{ messageId: 'a', inputTokens: 3, final: true }]
  expect(contextTokens(stateOf([], { usage }))).toBe(3)
  const written = [
    {
      messageId: 'a',
      outputTokens: 3,
      cacheReadTokens: 1,
      cacheWriteTokens: 2,
      webSearches: 1,
      model: 'm',
      final: true,
    },
  ]
  expect(costOf(stateOf([], { usage: written }), () => price).usd).toBe(0)
})

it('writes that the cache keeps for an hour have their own price, also where the number of all writes is unknown', () => {
  const usage = [{ messageId: 'a', cacheWrite1hTokens: 3, model: 'm', final: true }]
  const prices = { ...price, cacheWrite5m: 1e6, cacheWrite1h: 2e6 }
  expect(costOf(stateOf([], { usage }), () => prices).usd).toBe(6)
})
