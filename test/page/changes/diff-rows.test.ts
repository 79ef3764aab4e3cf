import { expect, it } from 'vitest'
import { diffRows, pairedRows } from '../../../src/page/changes/diff-rows.ts'
import { fileTree } from '../../../src/page/changes/file-tree.ts'
import { shortTitles } from '../../../src/page/timeline/short-titles.ts'

const HUNK = {
  ...{ oldStart: 7, oldLines: 4, newStart: 7, newLines: 5 },
  lines: [' a', '-if (x)', '-  b', '+if (y) {', '+    b', '+}', ' c', '\\ No newline at end of file'],
}

it('numbers the lines, and puts a removed line beside the new one', () => {
  const rows = diffRows([HUNK], false)
  expect(rows.map(({ before, after, text }) => [before, after, text])).toEqual([
    [undefined, undefined, '@@ -7,4 +7,5 @@'],
    ...[
      [7, 7, 'a'],
      [8, undefined, 'if (x)'],
      [9, undefined, '  b'],
    ],
    ...[
      [undefined, 8, 'if (y) {'],
      [undefined, 9, '    b'],
      [undefined, 10, '}'],
      [10, 11, 'c'],
    ],
  ])
  expect(pairedRows(rows).map(({ left, right }) => [left?.text, right?.text])).toEqual([
    ...[
      ['@@ -7,4 +7,5 @@', '@@ -7,4 +7,5 @@'],
      ['a', 'a'],
      ['if (x)', 'if (y) {'],
    ],
    ...[
      ['  b', '    b'],
      [undefined, '}'],
      ['c', 'c'],
    ],
  ])
})

it('has a line of which the whitespace alone has changed as it is in the new file', () => {
  const rows = diffRows([HUNK], true)
  expect(rows.filter(({ type }) => type === 'same').map(({ text }) => text)).toEqual(['a', '    b', 'c'])
  expect(rows.filter(({ type }) => type === 'removed').map(({ text }) => text)).toEqual(['if (x)'])
  const spaces = { ...HUNK, lines: [' a', '-b', '+ b'] }
  expect(diffRows([spaces], true)).toEqual([])
})

it('has files in their folders, and a folder of one folder in one line', () => {
  const files = ['docs/a.md', 'src/page/rows/b.ts', 'src/page/rows/c.ts', 'd.ts'].map((path) => ({ path }))
  const names = (nodes: ReturnType<typeof fileTree>): unknown =>
    nodes.map((node) => (node.type === 'file' ? node.name : [node.name, names(node.children)]))
  expect(names(fileTree(files))).toEqual([['docs', ['a.md']], ['src/page/rows', ['b.ts', 'c.ts']], 'd.ts'])
})

it('has a path of any depth, and any number of files', () => {
  const deep = fileTree([{ path: 'a/'.repeat(100_000) }])
  expect(deep).toHaveLength(1)
  const many = Array.from({ length: 20_000 }, (_, at) => ({ path: `src/${at}.ts` }))
  expect(fileTree(many)).toHaveLength(1)
})

it('cuts the words that all titles begin with', () => {
  expect(shortTitles(['Audit GET /a', 'Audit GET /b', 'Audit PUT /c'])).toEqual([
    '… GET /a',
    '… GET /b',
    '… PUT /c',
  ])
  expect(shortTitles(['Audit a', 'Audit', 'Audit b'])).toEqual(['Audit a', 'Audit', 'Audit b'])
  expect(shortTitles(['Same a', 'Same b'])).toEqual(['Same a', 'Same b'])
})
