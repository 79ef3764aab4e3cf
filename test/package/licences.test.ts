import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const root = join(import.meta.dirname, '../..')

interface Lock {
  readonly packages: Readonly<
    Record<string, { readonly dev?: boolean; readonly optional?: boolean; readonly license?: string }>
  >
}

/** Licences that ask only for their notice. */
const PERMISSIVE = ['MIT', 'ISC', 'BSD-2-Clause', 'BSD-3-Clause', '0BSD']

it('brings along packages that anybody may pass on, and no others', () => {
  const { packages }: Lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))
  const { dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const installed = Object.entries(packages).filter(([path, { dev }]) => path !== '' && !dev)
  const refused = installed.filter(([, { license = '' }]) => !PERMISSIVE.includes(license))
  expect(refused).toEqual([])
  expect(Object.keys(dependencies)).toEqual([
    '@noble/hashes',
    'chokidar',
    'diff',
    'eventsource-parser',
    'fast-json-stable-stringify',
    'fzstd',
    'immer',
    'partial-json',
  ])
})

const dist = join(root, 'dist')

/** Returns the files of `dist` that an entry loads, at once or later. */
function filesOf(entry: string): ReadonlySet<string> {
  const found = new Set([entry])
  // A set grows while it is iterated.
  for (const name of found)
    for (const [, next = ''] of readFileSync(join(dist, name), 'utf8').matchAll(
      /["']\.\/([^"']+\.c?js)["']/g,
    ))
      found.add(next)
  return found
}

/** Returns the names of the packages whose code is in a file: the bundler writes the path of each module above it. */
function packagesIn(name: string): readonly string[] {
  const paths = readFileSync(join(dist, name), 'utf8').matchAll(
    /^\s*\/\/ .*node_modules\/((?:@[^/]+\/)?[^/]+)\//gm,
  )
  return [...paths].map(([, each = '']) => each)
}

it('holds code of its own alone, for all who import it', () => {
  const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const entries = [...JSON.stringify(exports).matchAll(/\.\/dist\/([\w-]+\.c?js)"/g)].map(
    ([, name = '']) => name,
  )
  expect(entries.length).toBeGreaterThan(50)
  const files = new Set(entries.flatMap((entry) => [...filesOf(entry)]))
  expect([...files].flatMap(packagesIn)).toEqual([])
})

// A server installed the packages of the command.
it('contains the packages that only the command needs, with their licences', () => {
  const packages = new Set([...filesOf('cli.js')].flatMap(packagesIn))
  expect(packages).toContain('commander')
  const notices = readFileSync(join(dist, 'cli-licences.txt'), 'utf8')
  const named = [...notices.matchAll(/^(\S+) [\d.]+ \([\w-]+\)$/gm)].map(([, name = '']) => name)
  expect(new Set(named)).toEqual(packages)
})
