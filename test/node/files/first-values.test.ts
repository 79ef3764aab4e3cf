import { expect, it, vi } from 'vitest'
import { keepFirstValues } from '../../../src/node/files/detect-file.ts'

/** A reader whose files have two values each. `opened` has the paths that were opened. */
function countedReader() {
  const opened: string[] = []
  const reader = keepFirstValues({
    *values(path) {
      opened.push(path)
      yield `${path} 1`
      yield `${path} 2`
    },
    value: vi.fn(),
    names: () => [],
  })
  return { reader, opened }
}

function firstOf(values: Iterable<unknown>): unknown {
  for (const value of values) return value
  return undefined
}

it('opens a file once for its first value, and again for the others', () => {
  const { reader, opened } = countedReader()
  expect(firstOf(reader.values('a'))).toBe('a 1')
  expect(firstOf(reader.values('a'))).toBe('a 1')
  expect(opened).toEqual(['a'])
  expect([...reader.values('a')]).toEqual(['a 1', 'a 2'])
  expect(opened).toEqual(['a', 'a'])
})

it('keeps the values of the last files alone', () => {
  const { reader, opened } = countedReader()
  for (let at = 0; at <= 512; at += 1) firstOf(reader.values(`${at}`))
  expect(firstOf(reader.values('512'))).toBe('512 1')
  expect(opened).toHaveLength(513)
  expect(firstOf(reader.values('0'))).toBe('0 1')
  expect(opened).toHaveLength(514)
})
