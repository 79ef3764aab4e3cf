import * as fc from 'fast-check'
import type { IncomingBlock, SessionEvent } from '../../core/events/event.ts'

// The pools are small, so that ids collide. They contain agent ids that are also calls' ids, keys of every object,
// and the empty id.
const callId = fc.constantFrom('A', 'A', 'B', 'B', 'X', 'X', 'Y', '__proto__', '')
const agentId = fc.constantFrom('X', 'X', 'X', 'Y', 'Y', 'A', 'constructor', '__proto__')
const main = fc.constant('main')
const toolUseId = often(callId, main)
const agentIdOrMain = often(agentId, main)
const conversationId = fc.oneof({ arbitrary: main, weight: 2 }, callId, agentId)
const subagentBlockId = fc.constantFrom('subagent:A', 'subagent:B', 'subagent:X', 'subagent:')
const blockId = often(fc.constantFrom('b1', 'b1', 'b2', '__proto__', ''), subagentBlockId)
const messageId = fc.constantFrom('m1', 'm2', 'constructor')
const runId = fc.constantFrom('r1', 'r2')
const text = fc.constantFrom('', 'a', 'bc')
const timestamp = fc.constantFrom('2025-01-01T00:00:00Z', '2025-01-01T00:00:01Z')
const durationMs = fc.constantFrom(0, 5, 1500)
const status = fc.constantFrom('pending', 'complete', 'error')
const flag = fc.constant(true)
const subagentStatus = fc.constantFrom('pending', 'running', 'success', 'error')

/** JSON as a parser returns it: plain objects, no negative zero. */
const json: fc.Arbitrary<unknown> = fc
  .jsonValue({ maxDepth: 3 })
  .map((value): unknown => JSON.parse(JSON.stringify(value)))

const base = { id: blockId, status, conversationId, timestamp }
const optional = ['conversationId', 'timestamp', 'model', 'durationMs', 'extra']

const userContent = fc.oneof(
  text,
  fc.array(
    fc.oneof(
      object({ type: fc.constant('text'), text }),
      object({
        type: fc.constant('image'),
        source: object({ type: fc.constant('url'), url: text }),
      }),
    ),
    { maxLength: 2 },
  ),
)

/** A block of a type other than `subagent`. */
const plainBlock: fc.Arbitrary<IncomingBlock> = fc.oneof(
  { arbitrary: block('assistant_text', { content: text, messageId, model: text }, ['messageId']), weight: 4 },
  block('thinking', { content: text, messageId, redacted: fc.boolean() }, ['messageId', 'redacted']),
  block('user_message', { content: userContent, origin: fc.constantFrom('command', 'meta') }, ['origin']),
  block('tool_use', { toolName: text, toolUseId: callId, input: json, messageId, inputText: text }, [
    'messageId',
    'inputText',
  ]),
  block('request', { kind: fc.constantFrom('permission', 'question'), title: text, toolUseId: callId }, [
    'toolUseId',
  ]),
  block(
    'tool_result',
    { toolUseId: callId, output: json, isError: fc.boolean(), durationMs, exitCode: fc.constantFrom(0, 1) },
    ['exitCode'],
  ),
  block('system', { subtype: text, message: text, data: json }, ['data']),
  block('error', { message: text, code: text }, ['code']),
  block('skill_load', { skillName: text, content: text, extra: json }),
)

/** A block that describes a subagent. */
const subagentBlock: fc.Arbitrary<IncomingBlock> = block(
  'subagent',
  {
    status: subagentStatus,
    toolUseId,
    input: text,
    agentId: agentIdOrMain,
    name: text,
    description: text,
    output: text,
    durationMs,
    messageId,
    inputText: text,
  },
  ['agentId', 'name', 'description', 'output', 'messageId', 'inputText'],
)

const tokens = fc.constantFrom(0, 3, 10)
const usage = fc.record(
  { inputTokens: tokens, outputTokens: tokens, cacheReadTokens: tokens, unsplitTokens: tokens },
  { requiredKeys: [], noNullPrototype: true },
)
const facts = fc.record(
  { id: text, model: text, costUsd: tokens, tools: fc.array(text, { maxLength: 2 }) },
  { requiredKeys: [], noNullPrototype: true },
)

const anyEvent: fc.Arbitrary<SessionEvent> = fc.oneof(
  { arbitrary: event('block:upsert', { block: plainBlock }), weight: 6 },
  { arbitrary: event('block:upsert', { block: subagentBlock }), weight: 3 },
  { arbitrary: event('block:delta', { blockId, delta: text }), weight: 4 },
  { arbitrary: event('block:delta', { blockId: subagentBlockId, delta: text }), weight: 1 },
  { arbitrary: event('block:removed', { blockId }), weight: 2 },
  {
    arbitrary: event(
      'subagent:spawned',
      {
        toolUseId,
        prompt: text,
        subagentType: text,
        description: text,
        agentId: agentIdOrMain,
        formerId: toolUseId,
        runId,
        messageId,
      },
      ['subagentType', 'description', 'agentId', 'formerId', 'runId', 'messageId'],
    ),
    weight: 4,
  },
  {
    arbitrary: event('subagent:resumed', { toolUseId, runId, prompt: text, continues: flag }, [
      'runId',
      'prompt',
      'continues',
    ]),
    weight: 2,
  },
  {
    arbitrary: event(
      'subagent:completed',
      {
        toolUseId,
        agentId: agentIdOrMain,
        runId,
        status: fc.constantFrom('completed', 'error'),
        output: text,
        durationMs,
        cut: flag,
      },
      ['agentId', 'runId', 'output', 'cut'],
    ),
    weight: 4,
  },
  { arbitrary: event('session:running', { continues: flag }, ['continues']), weight: 2 },
  {
    arbitrary: event(
      'session:idle',
      { outcome: fc.constantFrom('finished', 'interrupted', 'failed'), error: text, cut: flag },
      ['outcome', 'error', 'cut'],
    ),
    weight: 2,
  },
  {
    arbitrary: event('todos:updated', {
      todos: fc.array(object({ id: text, text, status: fc.constantFrom('pending', 'completed') }, ['id']), {
        maxLength: 2,
      }),
    }),
    weight: 1,
  },
  {
    arbitrary: event('branch:abandoned', {
      branchId: blockId,
      blockIds: fc.array(blockId, { maxLength: 3 }),
    }),
    weight: 1,
  },
  { arbitrary: event('session:updated', { facts }), weight: 1 },
  {
    arbitrary: event('usage:reported', {
      messageId,
      usage,
      final: fc.boolean(),
      model: text,
      fromResult: fc.constant(true),
    }),
    weight: 2,
  },
)

/** JSON that is not an event. */
const malformed: fc.Arbitrary<unknown> = fc
  .oneof(
    json,
    fc.record({ type: fc.constantFrom('block:upsert', 'subagent:spawned', 'toString', ''), block: json }),
    anyEvent.map((event) => ({
      ...event,
      toolUseId: 1,
      block: {},
      blockId: [],
      facts: 0,
      usage: null,
      timestamp: 0,
    })),
  )
  .map((value): unknown => JSON.parse(JSON.stringify(value)))

/** Arbitrary incoming blocks of all types. They share a few ids, so that ids collide. */
export function incomingBlock(): fc.Arbitrary<IncomingBlock> {
  return fc.oneof({ arbitrary: plainBlock, weight: 3 }, subagentBlock)
}

/** Arbitrary events of all types. They share a few ids, so that ids collide. `main`, `__proto__` and the empty id are included. */
export function sessionEvent(): fc.Arbitrary<SessionEvent> {
  return anyEvent
}

/** Arbitrary JSON that is not a valid event, as a wire may deliver it. */
export function malformedEvent(): fc.Arbitrary<unknown> {
  return malformed
}

/**
 * Arbitrary logs with many errors. Events come late, twice, before the event that they depend on, or with the id of
 * another agent or block. Now and then a value is not a valid event, or even `null`, because a wire checks no types.
 */
export function unrulyLog(): fc.Arbitrary<unknown[]> {
  return fc.array(often<unknown>(anyEvent, malformed), { maxLength: 40, size: 'max' })
}

function often<Item>(arbitrary: fc.Arbitrary<Item>, rare: fc.Arbitrary<Item>): fc.Arbitrary<Item> {
  return fc.oneof({ arbitrary, weight: 15 }, { arbitrary: rare, weight: 1 })
}

type Fields = Readonly<Record<string, fc.Arbitrary<unknown>>>

function block(
  type: IncomingBlock['type'],
  fields: Fields,
  omissible: readonly string[] = [],
): fc.Arbitrary<IncomingBlock> {
  return object({ ...base, ...fields, type: fc.constant(type) }, omissible)
}

function event(
  type: SessionEvent['type'],
  fields: Fields,
  omissible: readonly string[] = [],
): fc.Arbitrary<SessionEvent> {
  return object({ conversationId, timestamp, ...fields, type: fc.constant(type) }, omissible)
}

/** An object with these fields. The fields in `optional` and `omissible` are sometimes absent. */
function object<Item>(fields: Fields, omissible: readonly string[] = []): fc.Arbitrary<Item> {
  const requiredKeys = Object.keys(fields).filter(
    (key) => !optional.includes(key) && !omissible.includes(key),
  )
  return fc
    .record(fields, { requiredKeys, noNullPrototype: true })
    .map((item) => JSON.parse(JSON.stringify(item)))
}
