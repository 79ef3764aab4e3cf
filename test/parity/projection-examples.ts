import { describe, expect, it } from 'vitest'
import type { ConversationBlock, SubagentState } from '../../src/index.ts'
import type { ExclusionKind, Side } from '../../src/parity/index.ts'
import { called, comparison, type Held, type Program, subagent } from './states.ts'

/** What one side has more than the other. */
interface Example {
  readonly side: Side
  readonly more: Held
  readonly less?: Held
  readonly program?: Program
}
type Examples = readonly (readonly [string, Example])[]

const compared = ({ side, more, less = [], program }: Example) =>
  comparison(side === 'live' ? { live: more, stored: less } : { live: less, stored: more }, program)

export const live = (more: Held, less: Held = [], program: Program = 'claude-code'): Example => ({
  side: 'live',
  more,
  less,
  program,
})
export const stored = (more: Held, less: Held = [], program: Program = 'claude-code'): Example => ({
  ...live(more, less, program),
  side: 'stored',
})

/** The subagent `t1` has these blocks. */
export const sub = (
  ...blocks: readonly ConversationBlock[]
): { readonly subagents: readonly SubagentState[] } => ({
  subagents: [subagent('t1', blocks)],
})
/** The subagent has these blocks beside a call that both sides have. */
export const beside = (...blocks: readonly ConversationBlock[]): ReturnType<typeof sub> =>
  sub(called('c1'), ...blocks)

/** Tests that a projection leaves out what it is for, and nothing that only looks like it. */
export function examples(
  kind: ExclusionKind,
  { left, told }: { readonly left: Examples; readonly told: Examples },
): void {
  describe(kind, () => {
    it.each(left)('is left out, and counted on its side: %s', (_, example) => {
      expect(compared(example)).toStrictEqual({
        differences: [],
        projected: [{ kind, side: example.side, count: 1 }],
      })
    })

    it.each(told)('is not what only looks like it: %s', (_, example) => {
      const { differences, projected } = compared(example)
      expect(differences).not.toEqual([])
      expect(projected.map((each) => each.kind)).not.toContain(kind)
    })
  })
}
