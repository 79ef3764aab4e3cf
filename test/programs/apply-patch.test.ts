import fc from 'fast-check'
import { expect, it } from 'vitest'
import {
  changeOfHunks,
  changesInPatch,
  changesOfPatch,
  hunksBetween,
  patchText,
} from '../../src/programs/diff.ts'

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

it('reads the paths that it wrote into diffs, whatever they have in them', () => {
  const mark = fc.constantFrom('\t', '\n', '\r', '"', '\\', ' ', '@', 'x', '\u0085', 'é', '0', '/')
  const path = fc.string({ unit: mark, minLength: 1 }).filter((name) => name !== '/dev/null')
  const kind = fc.constantFrom('add', 'edit', 'delete', 'move')
  const change = fc.record({ path, kind, from: path }).map(({ from, ...file }) => {
    const [before, after] = [file.kind === 'add' ? '' : 'old\n', file.kind === 'delete' ? '' : 'new\n']
    const isMove = file.kind === 'move' && from !== file.path
    const moved = isMove ? { ...file, from } : { ...file, kind: file.kind === 'move' ? 'edit' : file.kind }
    return changeOfHunks(moved, hunksBetween(before, after))
  })
  fc.assert(
    fc.property(fc.array(change), (changes) => {
      expect(changesInPatch(changes.map(patchText).join(''))).toEqual(changes)
    }),
  )
})
