import { expect, it } from 'vitest'
import { addLine } from '../../../src/wires/kit/lines.ts'

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
