import { describe, expect, it } from 'vitest'
import { renderTree } from '../../../src/cli/tree-text.ts'
import { fold, spawn, text, upsert } from '../../core/reducer/example.ts'

/** Renders the tree of that many agents. Each agent starts the next. */
function nested(count: number): readonly string[] {
  const spawns = Array.from({ length: count }, (_, at) =>
    spawn(`t${at + 1}`, { conversationId: at === 0 ? 'main' : `t${at}` }),
  )
  return renderTree(fold(...spawns, upsert(text('last', { content: 'Deep.' }), `t${count}`)), false)
}

describe('a tree', () => {
  // They were the arguments of one call, which overflowed the stack.
  it('shows 150,000 agents that one agent started', () => {
    const state = fold(spawn('t', { conversationId: 'main' }))
    const subagents = Array.from({ length: 150_000 }, (_, at) =>
      state.subagents.map((subagent) => ({ ...subagent, toolUseId: `t${at}` })),
    )
    const lines = renderTree({ ...state, subagents: subagents.flat() }, false)
    expect(lines.at(-150_000)).toMatch(/^├─ running t0 · /)
    expect(lines.at(-1)).toMatch(/^└─ running t149999 · /)
  })

  it('is indented up to level 50', () => {
    const [agent, lastText] = nested(50).slice(-2)
    expect(agent).toMatch(/^ {147}└─ running t50 · /)
    expect(lastText).toBe(`${' '.repeat(153)}“Deep.”`)
  })

  // The fully indented lines of 30,000 nested agents did not fit into one string.
  it('shows deeper agents in one column, each with its depth', () => {
    const [parent, agent, lastText] = nested(1000).slice(-3)
    expect(parent).toMatch(/^ {150}999: running t999 · /)
    expect(agent).toMatch(/^ {150}1000: running t1000 · /)
    expect(lastText).toBe(`${' '.repeat(153)}“Deep.”`)
  })
})
