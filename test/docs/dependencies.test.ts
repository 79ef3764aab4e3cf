import { readFileSync } from 'node:fs'
import { build } from 'esbuild'
import { expect, it } from 'vitest'
import manifest from '../../package.json' with { type: 'json' }
import { entry } from '../../tsup.config.ts'

const COMMAND = 'command line'
const IN_ITS_FILES = 'command line, in its files'

/** Returns, by package, the entry points whose bundles import it, and the command. */
async function usersOfPackages(): Promise<ReadonlyMap<string, readonly string[]>> {
  const { metafile } = await build({
    entryPoints: { ...entry, [COMMAND]: 'src/cli/main.ts' },
    ...{ bundle: true, packages: 'external', format: 'esm', platform: 'node', pure: ['Object.freeze'] },
    ...{ write: false, metafile: true, outdir: 'dist', logLevel: 'silent' },
  })
  const users = new Map<string, string[]>()
  for (const [path, { imports }] of Object.entries(metafile.outputs)) {
    const user = path.slice('dist/'.length, -'.js'.length)
    const packages = new Set(imports.flatMap((each) => (each.external ? [packageOf(each.path)] : [])))
    for (const name of packages) users.set(name, [...(users.get(name) ?? []), user])
  }
  return users
}

function packageOf(path: string): string {
  return path
    .split('/')
    .slice(0, path.startsWith('@') ? 2 : 1)
    .join('/')
}

/** Returns the entry points by their names, as the table has them. */
function usedBy(name: string, users: readonly string[]): string {
  if (!Object.hasOwn(manifest.dependencies, name)) return IN_ITS_FILES
  const entries = users
    .filter((user) => user !== COMMAND)
    .map((user) => (user === 'index' ? 'agentfold' : user))
  return [...entries.toSorted(), ...(users.includes(COMMAND) ? [COMMAND] : [])].join(', ')
}

it('says in the table of dependencies which bundles import each package', async () => {
  const [, section = ''] = readFileSync('docs/decisions.md', 'utf8').split('\n## Dependencies\n')
  const lines =
    section
      .split('\n## ')[0]
      ?.split('\n')
      .filter((line) => line.startsWith('| ')) ?? []
  const rows = lines.slice(2).map((line) => line.split('|').map((cell) => cell.trim()))
  const table = rows.flatMap(([, packages = '', users]) =>
    [...packages.matchAll(/`(.+?)`/g)].map(([, name]) => `${name}: ${users}`),
  )
  const users = await usersOfPackages()
  const listed = [...users.keys()].filter((name) => {
    const isCommands = users.get(name)?.join() === COMMAND && !name.startsWith('node:')
    return Object.hasOwn(manifest.dependencies, name) || isCommands
  })
  const expected = listed.map((name) => `${name}: ${usedBy(name, users.get(name) ?? [])}`)
  expect(table.toSorted()).toEqual(expected.toSorted())
})
