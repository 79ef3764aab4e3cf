import { describe, expect, it } from 'vitest'
import type { UserContentPart } from '../../../src/core/state/content.ts'
import {
  createInitialConversationState,
  reduceSessionEvents,
  type SessionEvent,
} from '../../../src/entries/index.ts'
import { toMarkdown } from '../../../src/entries/markdown.ts'
import {
  formatBytes,
  formatCount,
  formatDuration,
  formatTime,
  plural,
  timeOf,
} from '../../../src/sinks/markdown/text/values.ts'

const documentOf = (...events: readonly SessionEvent[]) =>
  toMarkdown(reduceSessionEvents(createInitialConversationState(), events))

const PNG = 'iVBORw0KGgo='

it.each<[UserContentPart, string]>([
  [
    { type: 'image', source: { type: 'base64', mediaType: 'image/png', data: PNG } },
    '*Image:* image/png, 9 bytes',
  ],
  [
    { type: 'file', name: 'plan.pdf', source: { type: 'base64', mediaType: 'application/pdf', data: PNG } },
    '*File:* `plan.pdf` application/pdf, 9 bytes',
  ],
  [
    { type: 'file', source: { type: 'url', url: 'file:///a/notes.txt', mediaType: 'text/plain' } },
    '*File:* text/plain `file:///a/notes.txt`',
  ],
  [{ type: 'file', source: { type: 'url', url: 'file:///a/b' } }, '*File:* `file:///a/b`'],
  [
    { type: 'image', source: { type: 'url', url: `data:image/png;base64,${PNG.repeat(9)}` } },
    '*Image:* `data:image/png;base64',
  ],
])('a prompt with %j names it and leaves its bytes out', (part, text) => {
  const document = documentOf({
    type: 'block:upsert',
    block: {
      type: 'user_message',
      id: 'u',
      status: 'complete',
      content: [{ type: 'text', text: 'See:' }, part],
    },
  })
  expect(document).toContain('See:')
  expect(document).toContain(text)
  expect(document).not.toContain(PNG.repeat(2))
})

it.each<[{ readonly description?: string; readonly subagentType?: string }, readonly string[]]>([
  [{ description: 'Look', subagentType: 'explorer' }, ['# Look', '**Agent:** explorer']],
  [{ description: '', subagentType: 'explorer' }, ['# explorer']],
  [{}, ['# Agent']],
])('an agent with %j has the title %j', (facts, texts) => {
  const state = reduceSessionEvents(createInitialConversationState(), [
    { type: 'subagent:spawned', toolUseId: 'c', prompt: 'Go.', ...facts },
    {
      type: 'block:upsert',
      conversationId: 'c',
      block: { type: 'assistant_text', id: 't', status: 'complete', content: 'Work.' },
    },
    { type: 'subagent:completed', toolUseId: 'c', status: 'completed', durationMs: 65_000 },
  ])
  const document = toMarkdown(state, { conversationId: 'c' })
  for (const text of [...texts, '**Duration:** 1 min 5 s', 'Work.']) expect(document).toContain(text)
})

it.each([
  ['Broken.', undefined, '> **Error:** Broken.'],
  ['Broken.', '', '> **Error:** Broken.'],
  ['Broken.\nTwice.', 'E1', '> **Error E1:**'],
])('an error %j with the code %j is %j', (message, code, text) => {
  const document = documentOf({
    type: 'block:upsert',
    block: { type: 'error', id: 'e', status: 'complete', message, ...(code !== undefined && { code }) },
  })
  expect(document).toContain(text)
  for (const line of message.split('\n')) expect(document).toContain(line)
})

describe('a value', () => {
  it.each([
    [0, '0 ms'],
    [849.6, '850 ms'],
    [1500, '1.5 s'],
    [59_400, '59 s'],
    [60_000, '1 min'],
    [185_000, '3 min 5 s'],
    [3_600_000, '1 h'],
    [7_800_000, '2 h 10 min'],
    [86_340_000, '23 h 59 min'],
    [86_400_000, '1 d'],
    [273_600_000, '3 d 4 h'],
  ])('%d ms is %s', (ms, text) => expect(formatDuration(ms)).toBe(text))

  it.each([
    [0, '0 bytes'],
    [999, '999 bytes'],
    [12_345_678, '12,346 kB'],
  ])('%d bytes are %s', (bytes, text) => expect(formatBytes(bytes)).toBe(text))

  it('has words for counts and times', () => {
    expect([formatCount(1234.4), plural(1, 'file'), plural(2000, 'file')]).toEqual([
      '1,234',
      '1 file',
      '2,000 files',
    ])
    expect(formatTime(Date.UTC(2026, 0, 31, 10))).toBe('2026-01-31 10:00 UTC')
    expect([timeOf(undefined), timeOf('soon'), timeOf('1970-01-01T00:00:01Z')]).toEqual([
      undefined,
      undefined,
      1000,
    ])
  })
})
