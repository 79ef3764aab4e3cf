import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { DiffHunk } from '../../../src/core/state/file-change.ts'
import { joinHunks } from '../../../src/page/changes/join-hunks.ts'
import { runs } from '../../depth.ts'

/** Replaces `count` lines from a place by others. */
interface Edit {
  readonly at: number
  readonly count: number
  readonly texts: readonly string[]
  readonly context: number
}

const line = fc.constantFrom('a', 'b', 'c', 'd', '', '  a')
const edit: fc.Arbitrary<Edit> = fc.record({
  ...{ at: fc.nat(20), count: fc.nat(3), texts: fc.array(line, { maxLength: 3 }), context: fc.nat(3) },
})

/** Returns the file after an edit, and the edit as a program reports it. */
function made(file: readonly string[], { at, count, texts, context }: Edit): [readonly string[], DiffHunk] {
  const start = Math.min(at, file.length)
  const removed = file.slice(start, start + count)
  const before = file.slice(Math.max(0, start - context), start)
  const after = file.slice(start + removed.length, start + removed.length + context)
  const lines = [
    ...before.map((text) => ` ${text}`),
    ...removed.map((text) => `-${text}`),
    ...texts.map((text) => `+${text}`),
    ...after.map((text) => ` ${text}`),
  ]
  const [oldLines, newLines] = [removed.length, texts.length].map((own) => own + before.length + after.length)
  const first = start - before.length
  const startOf = (size = 0) => first + (size === 0 ? 0 : 1)
  const hunk = {
    ...{ oldStart: startOf(oldLines), oldLines: oldLines ?? 0 },
    ...{ newStart: startOf(newLines), newLines: newLines ?? 0, lines },
  }
  return [[...file.slice(0, start), ...texts, ...file.slice(start + removed.length)], hunk]
}

/** Applies hunks to a file, and checks that each line stands where they say. */
function applied(file: readonly string[], hunks: readonly DiffHunk[]): readonly string[] {
  const result: string[] = []
  let at = 0
  for (const { oldStart, oldLines, newStart, newLines, lines } of hunks) {
    const start = oldLines === 0 ? oldStart : oldStart - 1
    result.push(...file.slice(at, start))
    at = start
    expect(result.length).toBe(newLines === 0 ? newStart : newStart - 1)
    for (const each of lines) {
      if (!each.startsWith('+')) expect(file[at++]).toBe(each.slice(1))
      if (!each.startsWith('-')) result.push(each.slice(1))
    }
  }
  return [...result, ...file.slice(at)]
}

it('leads from the first file to the last one, whatever the edits are', () => {
  fc.assert(
    fc.property(fc.array(line, { maxLength: 20 }), fc.array(edit, { maxLength: 6 }), (file, edits) => {
      let last: readonly string[] = file
      const diffs = edits.map((each) => {
        const [next, hunk] = made(last, each)
        last = next
        return [hunk]
      })
      const joined = joinHunks(diffs)
      expect(joined).toBeDefined()
      expect(applied(file, joined ?? [])).toEqual(last)
    }),
    { numRuns: runs(1000) },
  )
})

const hunk = (oldStart: number, lines: readonly string[]): DiffHunk => ({
  ...{ oldStart, newStart: oldStart, lines },
  oldLines: lines.filter((each) => !each.startsWith('+')).length,
  newLines: lines.filter((each) => !each.startsWith('-')).length,
})

it('shows nothing of a line that came and went again', () => {
  const diffs = [[hunk(3, [' a', '+b', ' c'])], [hunk(3, [' a', '-b', ' c'])]]
  expect(joinHunks(diffs)).toEqual([])
})

it('does not join diffs of which another program has changed the lines in between', () => {
  const diffs = [[hunk(3, [' a', '+b', ' c'])], [hunk(3, [' a', '-other', ' c'])]]
  expect(joinHunks(diffs)).toBeUndefined()
})

it('keeps a new file with later edits one addition', () => {
  const diffs = [
    [{ oldStart: 0, oldLines: 0, newStart: 1, newLines: 2, lines: ['+a', '+b'] }],
    [hunk(2, ['-b', '+c'])],
  ]
  expect(joinHunks(diffs)).toEqual([
    { oldStart: 0, oldLines: 0, newStart: 1, newLines: 2, lines: ['+a', '+c'] },
  ])
})
