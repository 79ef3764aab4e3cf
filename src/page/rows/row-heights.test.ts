import { expect, it } from 'vitest'
import type { Row } from './row.ts'
import { RowHeights } from './row-heights.ts'

const rows = (...keys: readonly string[]): readonly Row[] =>
  keys.map((key) => ({ type: 'report', key, conversationId: 'main', lanes: [] }))

it('gives the places of rows, and knows the height of a row wherever it goes', () => {
  const heights = new RowHeights()
  expect([heights.total, heights.indexAt(50)]).toEqual([0, 0])
  const list = rows('a', 'b', 'c')
  heights.place(list)
  expect(heights.total).toBe(270)
  expect([heights.measure('b', 10), heights.measure('b', 10.2)]).toEqual([true, false])
  heights.place(list)
  expect([0, 1, 2, 3].map((at) => heights.topOf(at))).toEqual([0, 90, 100, 190])
  expect([-5, 0, 89, 90, 99, 100, 500].map((top) => heights.indexAt(top))).toEqual([0, 0, 0, 1, 1, 2, 2])
  heights.place([...rows('b'), { type: 'run', key: 'run', conversationId: 'main', lanes: [], blockIds: [] }])
  expect([heights.topOf(1), heights.total]).toEqual([10, 58])
})
