import type { ConversationBlock } from 'agentfold'
import { expect, it } from 'vitest'
import { diffRows, pairedRows } from '../../../src/page/changes/diff-rows.ts'
import { filesOf, fileTree } from '../../../src/page/changes/file-tree.ts'
import { ConversationShape } from '../../../src/page/rows/shape.ts'
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
  // The diffs had the order of the paths, and the tree another one.
  const mixed = [{ path: 'README.md' }, { path: 'src/a.ts' }, { path: 'src/b/c.ts' }]
  expect(filesOf(fileTree(mixed)).map(({ path }) => path)).toEqual(['src/b/c.ts', 'src/a.ts', 'README.md'])
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

// With each call, the calls before it became one line while it ran, and stood there again when it was over.
it('has the last calls of an agent that works in view, whether one of them runs or not', () => {
  const call = (at: number, status: 'pending' | 'complete') =>
    ({ id: `c${at}`, type: 'tool_use', toolUseId: `c${at}`, toolName: 'Bash', status }) as ConversationBlock
  const shape = new ConversationShape()
  const blocks: ConversationBlock[] = []
  for (let at = 0; at < 7; at += 1)
    for (const status of ['pending', 'complete'] as const) {
      blocks[at] = call(at, status)
      expect(shape.update([...blocks], false)).toHaveLength(at + 1)
    }
  const text = { id: 't', type: 'assistant_text', status: 'pending', content: '' } as ConversationBlock
  // Somebody reads the calls.
  expect(shape.update([...blocks, text], true, false)).toHaveLength(8)
  expect(shape.update([...blocks, text], false).map(({ type }) => type)).toEqual(['run', 'block'])
})
