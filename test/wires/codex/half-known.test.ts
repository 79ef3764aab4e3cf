import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { asObject, type JsonObject } from '../../../src/core/json/values.ts'
import type { ConversationThread } from '../../../src/entries/index.ts'
import { codexSource } from '../../../src/wires/codex/source.ts'
import { depth, sampleOf } from '../../depth.ts'

// A rollout has each message twice. A later version renamed one of the two, and the text was lost with its other copy.

const FIXTURES = join(import.meta.dirname, '../../../fixtures')
const files = readdirSync(FIXTURES, { recursive: true, encoding: 'utf8' })
  .filter((file) => /rollout-[^/]*\.jsonl$/.test(file))
  .sort()

const linesOf = (file: string): readonly JsonObject[] =>
  readFileSync(join(FIXTURES, file), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => asObject(JSON.parse(line)))

function textsOf({ blocks }: Pick<ConversationThread, 'blocks'>): readonly string[] {
  return blocks.flatMap((block) =>
    block.type === 'user_message' || block.type === 'assistant_text'
      ? [`${block.type}: ${JSON.stringify(block.content)}`]
      : [],
  )
}

function textsIn(lines: readonly JsonObject[]): readonly (readonly string[])[] {
  const { session } = codexSource.read(codexSource.open(), lines)
  const { state } = codexSource.end(session).session
  return [state, ...state.subagents].map(textsOf)
}

/** The copy of a message that a line has: its report without an id, its item, or its entry in the history. */
function copyOf({ type, payload }: JsonObject): string | undefined {
  const { type: name, item, role } = asObject(payload)
  if (type === 'response_item')
    return name === 'message' && (role === 'user' || role === 'assistant') ? 'an entry' : undefined
  if (type !== 'event_msg') return undefined
  if (name === 'agent_message' || name === 'user_message') return 'a report'
  // The prompt of a review has no other copy.
  return name === 'item_completed' && asObject(item).type === 'AgentMessage' ? 'an item' : undefined
}

const RENAMES: readonly ((line: JsonObject) => JsonObject)[] = [
  (line) => ({ ...line, type: 'later_line' }),
  (line) => ({ ...line, payload: { ...asObject(line.payload), type: 'later_message' } }),
]

const renamedItem = (line: JsonObject): JsonObject => {
  const payload = asObject(line.payload)
  return { ...line, payload: { ...payload, item: { ...asObject(payload.item), type: 'LaterMessage' } } }
}

it('has many files', () => {
  expect(files.length).toBeGreaterThan(50)
})

describe.each(['a report', 'an item', 'an entry'])('the text of %s of an unknown type', (copy) => {
  const cases = sampleOf(
    files
      .map((file) => [file, linesOf(file)] as const)
      .filter(([, lines]) => lines.some((line) => copyOf(line) === copy)),
    depth({ few: 6, all: 12 }),
  )

  it.each(cases)('is that of its other copy, in %s', (_, lines) => {
    const right = textsIn(lines)
    const places = lines.flatMap((line, at) => (copyOf(line) === copy ? [at] : []))
    const renames = copy === 'an item' ? [...RENAMES, renamedItem] : RENAMES
    for (const rename of renames)
      for (const some of [
        ...sampleOf(
          places.map((place) => [place]),
          depth({ few: 2, all: 12 }),
        ),
        places,
      ]) {
        const renamed = lines.map((line, at) => (some.includes(at) ? rename(line) : line))
        expect(textsIn(renamed)).toEqual(right)
      }
  })
})

it.each(sampleOf(files, depth({ few: 3, all: 12 })))(
  'a line of an unknown type changes no text, in %s',
  (file) => {
    const lines = linesOf(file)
    const right = textsIn(lines)
    const later = {
      timestamp: '2026-11-26T10:00:00.000Z',
      type: 'event_msg',
      payload: { type: 'later_kind' },
    }
    for (const [at] of sampleOf([...lines.entries()], depth({ few: 8, all: 12 })))
      expect(textsIn([...lines.slice(0, at + 1), later, ...lines.slice(at + 1)])).toEqual(right)
  },
)
