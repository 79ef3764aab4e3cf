import { expect, it } from 'vitest'
import { fileChange, kindOf } from '../../../../src/programs/opencode/tool-result.ts'

it.each([
  [{ type: 'add' }, 'add'],
  [{ status: 'deleted' }, 'delete'],
  [{ type: 'move' }, 'move'],
  [{ before: '', after: 'x' }, 'add'],
  [{ before: 'x', after: '' }, 'delete'],
  [{ before: 'x', after: 'y' }, 'edit'],
  [{ after: '' }, 'edit'],
  [{}, 'edit'],
])('a change with %j is of the kind %s', (facts, kind) => {
  expect(kindOf(facts)).toBe(kind)
})

it.each([
  [{ patch: '+++ a\n--- b\n+one\n+two\n-three' }, 2, 1],
  [{ patch: 'no diff', additions: 4, deletions: 3 }, 4, 3],
  [{}, 0, 0],
  [{ patch: '--- a\n+++ a\n@@ -1,1 +1,2 @@\n-x\n+y\n+z\n', additions: 9, deletions: 9 }, 2, 1],
])('a change with %j adds %i and removes %i lines', (facts, added, removed) => {
  expect(fileChange({ path: 'a', kind: 'edit', ...facts })).toMatchObject({ path: 'a', added, removed })
})
