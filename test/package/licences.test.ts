import { readdirSync, readFileSync } from 'node:fs'
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
    '@inquirer/search',
    '@noble/hashes',
    'chokidar',
    'commander',
    'diff',
    'eventsource-parser',
    'fast-json-stable-stringify',
    'fzstd',
    'immer',
    'marked',
    'partial-json',
    'string-width',
    'use-sync-external-store',
    'wrap-ansi',
  ])
})

it('holds code of its own alone', () => {
  const maps = readdirSync(join(root, 'dist')).filter((name) => name.endsWith('.map'))
  expect(maps.length).toBeGreaterThan(0)
  const sources = maps.flatMap(
    (name): readonly string[] => JSON.parse(readFileSync(join(root, 'dist', name), 'utf8')).sources,
  )
  // The command line prints the version of the package's own manifest.
  const isOwn = (source: string) => source.startsWith('../src/') || source === '../package.json'
  expect(sources.filter((source) => !isOwn(source))).toEqual([])
})
