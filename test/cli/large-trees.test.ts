import { describe, expect, it } from 'vitest'
import { renderTree } from '../../src/cli/view.ts'
import { fold, spawn, text, upsert } from '../reducer/example.ts'

/** The tree of so many agents, each of which has started the next. */
function nested(count: number): readonly string[] {
  const spawns = Array.from({ length: count }, (_, at) =>
    spawn(`t${at + 1}`, { conversationId: at === 0 ? 'main' : `t${at}` }),
  )
  return renderTree(fold(...spawns, upsert(text('last', { content: 'Deep.' }), `t${count}`)), false)
}

describe('a tree', () => {
  // All of them were once the arguments of one call, which overflowed the stack.
  it('shows 150,000 agents that one has started', () => {
    const state = fold(spawn('t', { conversationId: 'main' }))
    const subagents = Array.from({ length: 150_000 }, (_, at) =>
      state.subagents.map((subagent) => ({ ...subagent, toolUseId: `t${at}` })),
    )
    const lines = renderTree({ ...state, subagents: subagents.flat() }, false)
    expect(lines.at(-150_000)).toMatch(/^├─ running t0 · /)
    expect(lines.at(-1)).toMatch(/^└─ running t149999 · /)
  })

  it('is indented down to the fiftieth level', () => {
    const [agent, said] = nested(50).slice(-2)
    expect(agent).toMatch(/^ {147}└─ running t50 · /)
    expect(said).toBe(`${' '.repeat(153)}“Deep.”`)
  })

  // Indented as they are nested, 30,000 agents were more text than a string can hold.
  it('shows deeper agents in one column, each with its depth', () => {
    const [above, agent, said] = nested(1000).slice(-3)
    expect(above).toMatch(/^ {150}999: running t999 · /)
    expect(agent).toMatch(/^ {150}1000: running t1000 · /)
    expect(said).toBe(`${' '.repeat(153)}“Deep.”`)
  })
})
