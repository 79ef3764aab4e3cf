import { describe, expect, it } from 'vitest'
import { Progress } from '../../../src/cli/read-path.ts'
import { shortenedLines } from '../../../src/cli/show/text-lines.ts'
import { createView } from '../../../src/cli/show/view.ts'

describe('shortenedLines', () => {
  const viewOf = (isFull: boolean) =>
    createView({ columns: 80, isStyled: false, isFull, redact: (text) => text }, undefined)

  it.each([true, false])('gives no lines for a blank text: %s', (isFull) => {
    expect(shortenedLines(viewOf(isFull), ' \n\t', { limit: 3, width: 20 })).toEqual([])
  })

  it('keeps all lines of a full view', () => {
    expect(shortenedLines(viewOf(true), 'a\nb\nc\n', { limit: 1, width: 20 })).toEqual(['a', 'b', 'c'])
  })
})

describe('Progress', () => {
  it('writes each percentage once, and clears only a line that it wrote', () => {
    const written: string[] = []
    const progress = new Progress('a.jsonl', (text) => written.push(text))
    progress.clear()
    expect(written).toEqual([])
    progress.report(0.501)
    progress.report(0.502)
    expect(written).toHaveLength(1)
    progress.clear()
    progress.clear()
    expect(written).toHaveLength(2)
  })
})
