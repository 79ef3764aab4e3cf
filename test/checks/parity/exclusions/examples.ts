import { describe, expect, it } from 'vitest'
import type { ConversationBlock, SubagentState } from '../../../../src/entries/index.ts'
import type { ExclusionKind, Side } from '../../../../src/entries/parity.ts'
import { comparison, type Program, type SideContent, subagent, toolUse } from '../states.ts'

/** The content of one side, and the content of the other side. */
interface Example {
  readonly side: Side
  readonly content: SideContent
  readonly other?: SideContent
  readonly program?: Program
}
type Examples = readonly (readonly [string, Example])[]

const compareExample = ({ side, content: more, other: less = [], program }: Example) =>
  comparison(side === 'live' ? { live: more, stored: less } : { live: less, stored: more }, program)

export const live = (
  more: SideContent,
  less: SideContent = [],
  program: Program = 'claude-code',
): Example => ({
  side: 'live',
  content: more,
  other: less,
  program,
})
export const stored = (
  more: SideContent,
  less: SideContent = [],
  program: Program = 'claude-code',
): Example => ({
  ...live(more, less, program),
  side: 'stored',
})

/** A state with the subagent `t1` and its blocks. */
export const withSubagent = (
  ...blocks: readonly ConversationBlock[]
): { readonly subagents: readonly SubagentState[] } => ({
  subagents: [subagent('t1', blocks)],
})
/** The same with a call before the blocks, so that both sides have content of the subagent. */
export const withSubagentCall = (...blocks: readonly ConversationBlock[]): ReturnType<typeof withSubagent> =>
  withSubagent(toolUse('c1'), ...blocks)

/** Tests that a kind excludes its own content, and no similar content. */
export function testExclusion(
  kind: ExclusionKind,
  { excluded, compared }: { readonly excluded: Examples; readonly compared: Examples },
): void {
  describe(kind, () => {
    it.each(excluded)('is excluded, and counted on its side: %s', (_, example) => {
      expect(compareExample(example)).toStrictEqual({
        differences: [],
        excluded: [{ kind, side: example.side, count: 1 }],
      })
    })

    it.each(compared)('does not include similar content: %s', (_, example) => {
      const { differences, excluded } = compareExample(example)
      expect(differences).not.toEqual([])
      expect(excluded.map((each) => each.kind)).not.toContain(kind)
    })
  })
}
