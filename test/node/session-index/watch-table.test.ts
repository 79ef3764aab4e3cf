import { mkdir, rm, symlink, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { FileStamps } from '../../../src/node/session-index/file-stamps.ts'
import { PathCollector, pathsIn } from '../../../src/node/session-index/path-columns.ts'
import { WatchTable, watchParts } from '../../../src/node/session-index/watch-table.ts'
import { temporaryFolder } from '../../cli/temporary.ts'

const { inFolder, file } = temporaryFolder()

const stampOf = (path: string) => new FileStamps().of(path)
const stamped = (...paths: readonly string[]) => paths.flatMap((path) => [path, stampOf(path)])

/** Returns the entries that may have changed, by their places, as a table that was kept and read again finds them. */
function tableOf(lists: readonly (readonly string[])[], listing: readonly string[] | undefined) {
  const paths = new PathCollector()
  const parts = watchParts(lists, paths)
  const { columns, lacked, list } = JSON.parse(
    JSON.stringify({ columns: parts.columns, lacked: parts.lacked, list: paths.columns }),
  )
  const kept = listing && { stamps: listing, keys: '' }
  const table = new WatchTable(
    { columns, numbers: parts.numbers, listing: kept },
    pathsIn(list),
    () => lacked,
  )
  return (...scope: Parameters<WatchTable['unsure']> extends [unknown, infer Scope] ? [Scope?] : never) => [
    ...table.unsure(new FileStamps(), scope[0] ?? 'all'),
  ]
}

const NAMES = ['agents', 'facts.json', 'deep/er/still.json', 'Capital.json', 'ä.json', 'x y.json']

it.each([
  ['few names', 1, false],
  ['few names, in a listed folder', 1, true],
  ['many names', 9, false],
  ['many names, in a listed folder', 9, true],
] as const)('finds the entry of each path that appears, among %s', async (_, count, isListed) => {
  const folder = inFolder('p')
  await mkdir(folder, { recursive: true })
  // A folder of a listing is older than its look.
  await utimes(folder, 1_000, 1_000)
  const lists = await Promise.all(
    Array.from({ length: count }, async (_item, at) => {
      const own = await file(`own/${at}.jsonl`, '{}')
      return stamped(
        own,
        ...NAMES.map((name) => join(folder, `s${at}`, name)),
        join(folder, `s${at}.json`),
        join(folder, `ä${at}`),
      )
    }),
  )
  const unsure = tableOf(lists, isListed ? stamped(folder) : undefined)
  expect(unsure()).toEqual([])
  for (const [owner, list] of lists.entries())
    for (const path of list.filter((_each, at) => at > 0 && at % 2 === 0 && list[at + 1] === 'gone')) {
      await file(path.slice(inFolder().length + 1), '{}')
      expect([path, unsure()]).toEqual([path, [owner]])
      expect(unsure(new Set([owner]))).toContain(owner)
      const [top = ''] = path.slice(folder.length + 1).split('/')
      await rm(join(folder, top), { recursive: true })
      expect(unsure()).toEqual([])
    }
  for (const [owner, [own = '']] of lists.entries()) {
    await file(own.slice(inFolder().length + 1), '{"changed":true}')
    const changed = Array.from({ length: owner + 1 }, (_item, at) => at)
    for (const scope of ['all', 'beside'] as const) expect(unsure(scope)).toEqual(changed)
    expect(unsure('elsewhere')).toEqual([])
    expect(unsure(new Set([owner]))).toEqual([owner])
    if (owner + 1 < count) expect(unsure(new Set([owner + 1]))).toEqual([])
  }
})

it('takes a stamp that is no number, and a path that nobody can read, for unsure', async () => {
  const own = await file('own/a.jsonl', '{}')
  expect(tableOf([[own, 'unreadable'], stamped(own)], undefined)()).toEqual([0])
})

it('takes a link to nothing for a path that leads to nothing', async () => {
  await mkdir(inFolder('p'), { recursive: true })
  const [own, path] = [await file('own/a.jsonl', '{}'), inFolder('p', 'a.json')]
  const unsure = tableOf([stamped(own, path)], undefined)
  await symlink(inFolder('nowhere'), path)
  expect(unsure()).toEqual([])
  await file('nowhere', '{}')
  expect(unsure()).toEqual([0])
})

// A list looks at what is beside first, and some programs keep a session's facts in a folder above its file.
it.each([
  ['s/facts.json', 'beside'],
  ['s/agents/main/facts.json', 'beside'],
  ['s/agents/other/lines.jsonl', 'elsewhere'],
] as const)('finds a change of %s %s the file of the session', async (path, wanted) => {
  const own = await file('s/agents/main/lines.jsonl', '{}')
  const unsure = tableOf([stamped(own, await file(path, '{}'))], undefined)
  await file(path, '{"changed":true}')
  for (const scope of ['beside', 'elsewhere'] as const)
    expect([scope, unsure(scope)]).toEqual([scope, scope === wanted ? [0] : []])
})
