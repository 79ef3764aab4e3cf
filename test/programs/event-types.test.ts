import { expect, it } from 'vitest'
import { sourceOf } from '../../src/entries/index.ts'
import { allPrograms } from '../../src/programs/all.ts'

const types = allPrograms().flatMap(({ names: [program], wire, eventTypes = [] }) =>
  eventTypes.map((type) => ({ program, wire, type })),
)

// A program on Pi's wire had to list its own events in the wire too. Otherwise they were unknown messages.
it.each(types)(
  'an event `$type` names $program, and is no unknown message',
  async ({ program, wire, type }) => {
    const source = await sourceOf(wire)
    const event = { type, id: 'e1', parentId: null, timestamp: '2026-01-01T00:00:00.000Z', properties: {} }
    const { session, issues } = source.read(source.open(), [event])
    expect(issues).toEqual([])
    expect(session.state.session.program).toBe(program)
    expect(session.state.blocks).toEqual([])
  },
)
