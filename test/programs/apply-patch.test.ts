import { expect, it } from 'vitest'
import { changesOfPatch } from '../../src/programs/diff.ts'

const patch = (...lines: readonly string[]) => ['*** Begin Patch', ...lines, '*** End Patch', ''].join('\n')

it('has each file of a patch', () => {
  const changes = changesOfPatch(
    patch(
      '*** Add File: new.js',
      '+one',
      '+*** two',
      '*** Update File: old.js',
      '@@ function',
      ' same',
      '-was',
      '+is',
      '+more',
      '*** Delete File: gone.js',
      '*** Update File: a.js',
      '*** Move to: b.js',
      '@@',
      '-a',
      '+b',
    ),
  )
  const hunk = { oldStart: 0, oldLines: 0, newStart: 1, newLines: 2, lines: ['+one', '+*** two'] }
  expect(changes).toEqual([
    { path: 'new.js', kind: 'add', added: 2, removed: 0, hunks: [hunk] },
    { path: 'old.js', kind: 'edit', added: 2, removed: 1 },
    { path: 'gone.js', kind: 'delete', added: 0, removed: 0 },
    { path: 'b.js', kind: 'move', added: 1, removed: 1, from: 'a.js' },
  ])
})

it.each(['', 'no patch', '*** Begin Patch\n*** End Patch', '*** Add File: '])('has none: %s', (text) =>
  expect(changesOfPatch(text)).toEqual([]),
)
