import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const DOCS = 'docs'

/** The origin documents, and how many lines each has. They are no part of the package. */
const DOCUMENTS: ReadonlyMap<string, number> = new Map([
  ['conversation-state', 532],
  ['rfc-00033-conversation-identity', 710],
  ['subagent-shadow-tracking', 158],
  ['content-hash-conversations', 372],
  ['conversation-boundaries', 132],
])

/** The lines of deviations that an audit of the documents has found. None may leave the table without a reason. */
const AUDITED = [
  ...[59, 60, 97, 253, 300, 303, 310, 322, 327, 345, 442, 446, 451, 461].map(
    (line) => `conversation-state:${line}`,
  ),
  ...[56, 68, 76, 77, 96, 143, 162, 244, 261, 382, 383, 389, 707].map(
    (line) => `rfc-00033-conversation-identity:${line}`,
  ),
  ...[86, 93, 129].map((line) => `subagent-shadow-tracking:${line}`),
  ...[139, 181, 262].map((line) => `content-hash-conversations:${line}`),
  'conversation-boundaries:55',
]

const rows = tableRows(readFileSync(join(DOCS, 'decisions.md'), 'utf8'))

function tableRows(page: string): readonly (readonly string[])[] {
  const [, section = ''] = page.split('## Deviations from the origin documents\n')
  const lines =
    section
      .split('\n## ')[0]
      ?.split('\n')
      .filter((line) => line.startsWith('| ')) ?? []
  return lines.slice(2).map((line) =>
    line
      .split(/(?<!\\)\|/)
      .slice(1, -1)
      .map((cell) => cell.trim()),
  )
}

it('has the deviations that an audit has found, in the order of the documents', () => {
  const places = rows.map(([place = '']) => place)
  expect(places).toEqual(expect.arrayContaining(AUDITED))
  const order = places.map((place) => {
    const [name = '', line] = place.split(':')
    return [...DOCUMENTS.keys()].indexOf(name) * 1_000 + Number(line)
  })
  expect(order).toEqual(order.toSorted((left, right) => left - right))
})

it.each(rows)('%s: %s', (place = '', says = '', does = '', page = '', ...others) => {
  expect(others).toEqual([])
  const [, name = '', line] = /^([\w-]+):(\d+)$/.exec(place) ?? []
  expect(Number(line)).toBeGreaterThan(0)
  expect(Number(line)).toBeLessThanOrEqual(DOCUMENTS.get(name) ?? 0)
  expect([says, does]).not.toContain('')
  const [, words = '', file = ''] = /^\[(.+)\]\(([\w/-]+\.md)\)$/.exec(page) ?? []
  expect(file).not.toBe('decisions.md')
  expect(readFileSync(join(DOCS, file), 'utf8').replace(/\s+/g, ' ')).toContain(words)
})
