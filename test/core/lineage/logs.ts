import fc from 'fast-check'
import { hashUserMessage } from '../../../src/entries/identity.ts'
import type { AgentEvent } from '../../../src/entries/lineage.ts'
import { completed, failed, spawning, started, tick } from './events.ts'

/** The names of the agents, calls and prompts in a log. Logs with different names share nothing. */
export interface Cast {
  readonly name: string
}

const few = { maxLength: 30 }

/** A gateway's log in the order of its time: agents that start, call, complete and fail, in any order and any number of times. */
export function agentLog({ name }: Cast): fc.Arbitrary<readonly AgentEvent[]> {
  const agentId = fc.constantFrom(...['a', 'b', 'c', 'd', 'e', '__proto__'].map((id) => `${name}${id}`))
  const agentName = fc.constantFrom(`${name}recon`, `${name}plan`, 'unknown')
  const hash = fc.constantFrom(hashUserMessage(`${name} p`), hashUserMessage(`${name} q`))
  const toolUseId = fc.constantFrom(`${name}t1`, `${name}t2`, `${name}t3`)
  const maybe = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined })
  const requestId = maybe(fc.constantFrom('r1', 'r2'))
  const start = fc.record({
    requestId,
    name: maybe(agentName),
    isMain: maybe(fc.boolean()),
    firstUserMessageHash: maybe(hash),
    promptHashes: maybe(fc.array(hash, { maxLength: 2 })),
    agentTypeHash: maybe(fc.constantFrom(`${name}type`, `${name}kind`)),
    toolUseId: maybe(toolUseId),
    estimatedInputTokens: maybe(fc.nat(9)),
  })
  const call = fc.record({
    expectedChildAgentName: agentName,
    expectedChildAgentTypeHash: maybe(fc.constantFrom(`${name}type`, `${name}kind`)),
    promptHash: maybe(hash),
    toolUseId: maybe(toolUseId),
    lifetimeMs: maybe(fc.constantFrom(0, 10, 30_000)),
  })
  const end = fc.record({
    requestId,
    inputTokens: maybe(fc.nat(9)),
    outputTokens: maybe(fc.nat(9)),
    responseText: maybe(fc.constantFrom('', 'Done.')),
  })
  const event = fc.oneof(
    fc.tuple(agentId, start).map(
      ([id, rest]) =>
        (at: number) =>
          started(id, at, rest),
    ),
    fc.tuple(agentId, call).map(
      ([id, rest]) =>
        (at: number) =>
          spawning(id, at, rest),
    ),
    fc.tuple(agentId, end).map(
      ([id, rest]) =>
        (at: number) =>
          completed(id, at, rest),
    ),
    fc.tuple(agentId, requestId).map(
      ([id, request]) =>
        (at: number) =>
          failed(id, at, { requestId: request }),
    ),
    fc.constant(tick),
  )
  const step = fc.constantFrom(0, 1, 10, 4000, 31_000)
  return fc.array(fc.tuple(event, step), few).map((steps) => {
    let at = 0
    return steps.map(([make, passed]) => {
      at += passed
      return make(at)
    })
  })
}

export const log: fc.Arbitrary<readonly AgentEvent[]> = agentLog({ name: '' })
