import { expect, it } from 'vitest'
import { IssueCounter } from '../../src/reading/entry-fold.ts'

interface TestIssue {
  readonly code: string
  readonly line?: number
  readonly count?: number
}

it('merges issues with the same key, and keeps the facts of the first', () => {
  const counter = new IssueCounter<TestIssue>(({ code }) => code)
  counter.add({ code: 'a', line: 1, count: 2 })
  counter.add({ code: 'b', line: 2, count: 1 })
  counter.add({ code: 'a', line: 3, count: 3 })
  expect(counter.issues).toEqual([
    { code: 'a', line: 1, count: 5 },
    { code: 'b', line: 2, count: 1 },
  ])
})

it('counts issues without a count as one, and leaves a single one unchanged', () => {
  const counter = new IssueCounter<TestIssue>((issue) => issue)
  const [repeated, single] = [{ code: 'a' }, { code: 'b' }]
  for (const issue of [repeated, single, repeated, repeated]) counter.add(issue)
  expect(counter.issues).toEqual([{ code: 'a', count: 3 }, { code: 'b' }])
  expect(counter.issues[1]).toBe(single)
})
