import fc from 'fast-check'
import { expect, it } from 'vitest'
import { SettledTexts } from '../../../src/cli/growing-block.ts'
import { RedactedEvents } from '../../../src/cli/serve/redacted-events.ts'
import type { SessionEvent } from '../../../src/core/events/event.ts'
import { foldSessionEvents } from '../../../src/core/reducer/reduce.ts'
import { createInitialConversationState } from '../../../src/core/state/session.ts'
import { redactAll } from '../../../src/redaction/redactions.ts'
import { redactSession } from '../../../src/redaction/session.ts'
import { depth, runs } from '../../depth.ts'
import { KINDS, partsOf, randomFrom, visiblePart } from '../../redaction/kinds.ts'

/** The ways in which a text grows. */
const WAYS = {
  'an answer': (parts) => [
    { type: 'block:upsert', block: { type: 'assistant_text', id: 'a', status: 'pending', content: '' } },
    ...parts.map((delta) => ({ type: 'block:delta', blockId: 'a', delta }) as const),
  ],
  'an output': (parts) =>
    parts.map((_, at) => ({ type: 'block:upsert', block: output(parts.slice(0, at + 1).join('')) })),
  'parts of an output': (parts) =>
    parts.map((_, at) => ({
      type: 'block:upsert',
      block: output([{ type: 'text', text: parts.slice(0, at + 1).join('') }]),
    })),
  'the message of a report': (parts) =>
    parts.map((_, at) => ({ type: 'block:upsert', block: report(parts.slice(0, at + 1).join('')) })),
  'an answer after the end of the turn': (parts) => [
    { type: 'session:running' },
    { type: 'session:idle' },
    { type: 'block:upsert', block: { ...ANSWER, content: parts[0] ?? '' } },
    ...parts.slice(1).map((delta) => ({ type: 'block:delta', blockId: 'a', delta }) as const),
  ],
  'an answer that was final': (parts) => [
    { type: 'block:upsert', block: { ...ANSWER, status: 'pending', content: '' } },
    { type: 'session:idle' },
    ...parts.map((delta) => ({ type: 'block:delta', blockId: 'a', delta }) as const),
  ],
  'an output that was final': (parts) => [
    { type: 'block:upsert', block: { ...output(''), status: 'complete' } },
    { type: 'session:idle' },
    ...parts.map(
      (_, at) =>
        ({
          type: 'block:upsert',
          block: { ...output(parts.slice(0, at + 1).join('')), status: 'complete' },
        }) as const,
    ),
  ],
  'the input of a call': (parts) => [
    { type: 'block:upsert', block: { ...CALL, input: {}, inputText: '' } },
    ...[...JSON.stringify({ command: parts.join('') })].map(
      (delta) => ({ type: 'block:delta', blockId: 'c', delta }) as const,
    ),
    { type: 'block:upsert', block: { ...CALL, input: { command: parts.join('') } } },
  ],
} satisfies Readonly<Record<string, (parts: readonly string[]) => readonly SessionEvent[]>>

const CALL = { type: 'tool_use', id: 'c', toolUseId: 't', toolName: 'shell', status: 'pending' } as const

const ANSWER = { type: 'assistant_text', id: 'a', status: 'complete' } as const

function report(message: string) {
  return { type: 'system', id: 's', subtype: 'notice', status: 'pending', message } as const
}

function output(value: unknown) {
  return {
    type: 'tool_result',
    id: 'r',
    toolUseId: 't',
    status: 'pending',
    output: value,
    isError: false,
  } as const
}

/** Returns what readers of a session saw from its beginning to its end, and checks that they have the redacted state then. */
function seenIn(events: readonly SessionEvent[], redact = redactAll): string {
  const redacted = new RedactedEvents(redact)
  const served = [...events, { type: 'session:idle' } as const].flatMap((event) => redacted.append([event]))
  const initial = createInitialConversationState()
  const { state } = foldSessionEvents(initial, [...events, { type: 'session:idle' }])
  expect(foldSessionEvents(initial, served).state).toEqual(redactSession(state, redactAll))
  return JSON.stringify(served)
}

/** The ways in which lines stand in a text. */
const LAYOUTS: readonly ((line: string, at: number) => string)[] = [
  (line) => line,
  (line, at) => `${String(at + 1).padStart(6)}→${line}`,
  (line) => `+${line}`,
  (line) => `\u001b[32m${line}\u001b[0m`,
]

const PLACES = Object.values(WAYS).flatMap((eventsOf) => LAYOUTS.map((layout) => ({ eventsOf, layout })))

it.each(KINDS.map((kind, at) => [kind.name, kind, at] as const))(
  'no cut shows a part of a secret: %s',
  (_, kind, at) => {
    // All places for each kind would cost a minute. Each place has kinds of every form.
    const every = depth({ few: 15, all: 5 })
    for (const { eventsOf, layout } of PLACES.filter((_, place) => (place + at) % every === 0)) {
      const secret = kind.make(randomFrom(at + 1))
      const text = ['first', ...kind.write(secret).split('\n'), 'last', ''].map(layout).join('\n')
      const whole = redactAll(text)
      const seen = seenIn(eventsOf([...text]))
      const hidden = partsOf(visiblePart(kind, secret)).filter((part) => !whole.includes(part))
      expect(hidden.filter((part) => seen.includes(part))).toEqual([])
    }
  },
)

it('never shows a part that the redaction of the whole hides, among other lines and in any cut', () => {
  const line = fc.oneof(
    fc.constantFrom(
      '',
      'let x = 1',
      '-----END RSA PRIVATE KEY-----',
      '["a", "b",',
      '"--token",',
      ']',
      'value:',
    ),
    fc.tuple(fc.nat(KINDS.length - 1), fc.nat(1_000)).map(([at, seed]) => secretLines(at, seed)),
  )
  const lines = fc.array(line, { minLength: 1, maxLength: 8 })
  fc.assert(
    fc.property(lines, fc.integer({ min: 1, max: 40 }), (list, size) => {
      const text = list.join('\n')
      const whole = redactAll(text)
      const parts = text.match(new RegExp(`[\\s\\S]{1,${size}}`, 'g')) ?? []
      // `session:idle` has letters of a hidden `sessionid`.
      const seen = JSON.parse(seenIn(WAYS['an answer'](parts)), (key, value) => (key === 'type' ? '' : value))
      const texts = JSON.stringify(seen)
      const shown = new Set(partsOf(whole))
      const secret = partsOf(text).filter((part) => /^[A-Za-z0-9]+$/.test(part) && !shown.has(part))
      expect(secret.filter((part) => texts.includes(part))).toEqual([])
    }),
    { numRuns: runs(300) },
  )
})

function secretLines(at: number, seed: number): string {
  const kind = KINDS[at % KINDS.length]
  return kind ? kind.write(kind.make(randomFrom(seed + 1))) : ''
}

it('shows the whole lines of an answer while it grows', () => {
  const redacted = new RedactedEvents()
  const served = WAYS['an answer'](['One li', 'ne.\nAno', 'ther']).flatMap((event) =>
    redacted.append([event]),
  )
  const { blocks } = foldSessionEvents(createInitialConversationState(), served).state
  expect(blocks).toMatchObject([{ content: 'One line.\n', status: 'pending' }])
})

it('holds back what grows in the events that it begins with', () => {
  const redacted = new RedactedEvents()
  expect(redacted.append(WAYS['an output'](['ok\nDB_PASSWORD=hunter2Sec']))).toMatchObject([
    { block: { output: 'ok\n' } },
  ])
  const served = redacted.append([
    { type: 'block:upsert', block: output('ok\nDB_PASSWORD=hunter2Secret\nx\ny') },
  ])
  expect(served).toMatchObject([{ block: { output: 'ok\nDB_PASSWORD=[secret]\nx\n' } }])
})

it('shows the end of a late text when another part follows, or when nothing came for a while', () => {
  const late = WAYS['an answer after the end of the turn'](['One li', 'ne.\nAno', 'ther'])
  const next = { type: 'block:upsert', block: { ...ANSWER, id: 'b', content: 'next' } } as const
  for (const end of [
    (redacted: RedactedEvents) => redacted.append([next]),
    (redacted: RedactedEvents) => redacted.release(),
  ]) {
    const redacted = new RedactedEvents()
    const served = late.flatMap((event) => redacted.append([event]))
    const initial = createInitialConversationState()
    expect(foldSessionEvents(initial, served).state.blocks).toMatchObject([{ content: 'One line.\n' }])
    expect(redacted.isWaiting).toBe(true)
    const { blocks } = foldSessionEvents(initial, [...served, ...end(redacted)]).state
    expect(blocks[0]).toMatchObject({ content: 'One line.\nAnother', status: 'complete' })
  }
})

it('shows the texts of turns that are over once and as a whole', () => {
  const turn = (id: string) => [
    { type: 'session:running' } as const,
    { type: 'block:upsert', block: { ...ANSWER, id, content: 'One line.\nAnother' } } as const,
    { type: 'session:idle' } as const,
  ]
  const events = [...turn('a'), ...turn('b')]
  const redacted = new RedactedEvents()
  expect(redacted.append(events)).toEqual(events)
  expect(redacted.isWaiting).toBe(false)
})

it('holds back the end of a pending block that goes to a branch', () => {
  const events = [
    ...WAYS['an answer'](['One line.\nkey ghp_0123456', '789\nand ghp_0123']),
    { type: 'branch:abandoned', branchId: 'rewind', blockIds: ['a'] } as const,
  ]
  const { state } = foldSessionEvents(createInitialConversationState(), events)
  const branches = [{ id: 'rewind', blocks: [{ content: 'One line.\nkey ghp_0123456789\n' }] }]
  expect(new SettledTexts().settle(state)).toMatchObject({ branches })
  for (const size of [1, 2, events.length]) {
    const redacted = new RedactedEvents((text) => text)
    const served: SessionEvent[] = []
    for (let at = 0; at < events.length; at += size)
      served.push(...redacted.append(events.slice(at, at + size)))
    expect(foldSessionEvents(createInitialConversationState(), served).state).toMatchObject({ branches })
  }
})

it.each(['an answer', 'an output'] as const)('redacts %s in proportion to its length', (way) => {
  const work = (lines: number) => {
    let characters = 0
    const redact = (text: string) => {
      characters += text.length
      return text
    }
    const redacted = new RedactedEvents(redact)
    for (const event of WAYS[way](Array.from({ length: lines }, (_, at) => `line ${at % 10}\n`)))
      redacted.append([event])
    return characters
  }
  expect(work(2_000) / work(1_000)).toBeLessThan(2.3)
})
