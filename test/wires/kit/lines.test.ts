import { expect, it } from 'vitest'
import { addLine, isFromClient, unwrapLogLine } from '../../../src/wires/kit/lines.ts'

const time = '2026-01-01T00:00:00.000Z'
const lineOf = (words: string) => ({ time, words, mayComeTwice: false })

it('knows the latest lines of one time, and copies no longer list', () => {
  let last = addLine(undefined, lineOf('0'))
  for (let at = 1; at < 2_000; at += 1) {
    last = addLine(last, lineOf(`${at}`))
    expect(last.again).toBeUndefined()
  }
  expect(last.seen).toHaveLength(256)
  expect(addLine(last, lineOf('1999')).again).toBeDefined()
  expect(addLine(last, lineOf('1744')).again).toBeDefined()
})

it.each([
  ['1a 1b 2a 2b 1b 2a 2b 3a', false, '....^^^.'],
  ['1a 1a 1b 1a 1b 1c', false, '.^.^^.'],
  ['1a 1a 1b 0z 1a 1a 1b 1c 1a', true, '...^^^^..'],
])('knows the lines of %s that come again', (lines, mayComeTwice, marks) => {
  let last: ReturnType<typeof addLine> | undefined
  const again = lines.split(' ').map(([time = '', words = '']) => {
    last = addLine(last, { time, words, mayComeTwice })
    return last.again === undefined ? '.' : '^'
  })
  expect(again.join('')).toBe(marks)
})

it('opens the lines of a log of both directions', () => {
  const values = [
    { dir: 'in', msg: { a: 1 } },
    { dir: 'out', msg: { b: 1 } },
    { dir: 1, msg: {} },
    { dir: 'out', msg: 1 },
  ]
  expect(values.map(unwrapLogLine)).toEqual([{ a: 1 }, { b: 1 }, values[2], values[3]])
  expect(values.map(isFromClient)).toEqual([false, true, false, false])
})
