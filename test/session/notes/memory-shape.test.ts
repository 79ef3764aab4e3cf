import { expect, it } from 'vitest'
import type { MemoryFieldsOf } from '../../../src/session/notes/memory-shape.ts'
import type { PersistentMap } from '../../../src/session/notes/persistent-map.ts'

interface Entry {
  readonly id: string
  readonly seen?: PersistentMap<string>
  readonly turn: 'none' | 'running'
}

const SEEN = { mapOf: 'string' } as const
const TURN = { oneOf: { none: true, running: true } } as const

it('a memory whose field has no shape, or a wrong one, does not compile', () => {
  const right: MemoryFieldsOf<Entry> = { id: 'string', 'seen?': SEEN, turn: TURN }
  // @ts-expect-error: `seen?` is missing
  const missing: MemoryFieldsOf<Entry> = { id: 'string', turn: TURN }
  // @ts-expect-error: the map must say what it holds
  const wrong: MemoryFieldsOf<Entry> = { id: 'string', 'seen?': 'string', turn: TURN }
  // @ts-expect-error: the field is optional
  const required: MemoryFieldsOf<Entry> = { id: 'string', seen: SEEN, turn: TURN }
  // @ts-expect-error: `running` is missing
  const closed: MemoryFieldsOf<Entry> = { id: 'string', 'seen?': SEEN, turn: { oneOf: { none: true } } }
  expect([right, missing, wrong, required, closed]).toHaveLength(5)
})
