import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { describe, expect, it } from 'vitest'

/** The parts that each part may import (see "Data flow" in docs/contributing.md). A part may always import itself. */
const ARROWS: Readonly<Record<string, readonly string[]>> = {
  json: [],
  state: ['json'],
  events: ['state', 'json'],
  reducer: ['events', 'state', 'json'],
  selectors: ['state', 'json'],
  programs: ['state', 'json'],
  session: ['reducer', 'selectors', 'events', 'state', 'json'],
  wires: ['session', 'programs', 'selectors', 'events', 'state', 'json'],
  plan: ['programs', 'selectors', 'state', 'json'],
  sinks: ['plan', 'wires', 'programs', 'selectors', 'events', 'state', 'json'],
  parity: ['programs', 'selectors', 'state', 'json'],
  identity: ['programs', 'selectors', 'state', 'json'],
  lineage: ['programs', 'identity', 'selectors', 'state', 'json'],
  conversations: ['programs', 'selectors', 'state', 'json'],
  sync: ['store', 'reducer', 'events', 'state', 'json'],
  store: ['reducer', 'events', 'state', 'json'],
  react: ['store', 'selectors', 'state', 'json'],
  transcript: ['wires', 'session', 'programs', 'reducer', 'events', 'state', 'json'],
  log: ['session', 'reducer', 'sync', 'events', 'state', 'json'],
  hub: ['wires', 'session', 'programs', 'log', 'sync', 'reducer', 'events', 'state', 'json'],
  testing: [
    'log',
    'parity',
    'sinks',
    'wires',
    'session',
    'programs',
    'selectors',
    'reducer',
    'sync',
    'events',
    'state',
    'json',
  ],
  node: ['wires', 'session', 'programs', 'reducer', 'sync', 'selectors', 'events', 'state', 'json'],
  cli: [
    'node',
    'hub',
    'store',
    'sync',
    // The package's version, in `package.json`.
    '..',
    'transcript',
    'identity',
    'lineage',
    'parity',
    'plan',
    'sinks',
    'wires',
    'session',
    'programs',
    'reducer',
    'selectors',
    'events',
    'state',
    'json',
  ],
  acp: ['sinks', 'wires', 'session', 'json'],
  'ag-ui': ['sinks', 'wires', 'session', 'json'],
  index: [
    'store',
    'transcript',
    'sinks',
    'wires',
    'session',
    'programs',
    'reducer',
    'selectors',
    'events',
    'state',
    'json',
  ],
}

/** The parts that run in Node alone (see "Data flow" in docs/contributing.md), and the hub, which any server runs. */
const WITH_NODE: ReadonlySet<string> = new Set(['cli', 'hub', 'log', 'node'])

/** The folders of `node` that each of its folders may import. `list` and `read` once imported each other. */
const NODE_ARROWS: Readonly<Record<string, readonly string[]>> = {
  fold: [],
  files: [],
  list: ['files', 'fold'],
  read: ['list', 'files', 'fold'],
  follow: ['read', 'files', 'fold'],
  'node-handler': [],
  index: ['node-handler', 'follow', 'read', 'list', 'files', 'fold'],
}

/** The files of a wire that show its messages. A sink writes such messages, and may import nothing else of a wire. */
const MESSAGE_FILES: ReadonlySet<string> = new Set(['event.ts', 'ids.ts', 'message.ts', 'shared-state.ts'])

const SRC = join(import.meta.dirname, '../src')
const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'))
const importsOf = (name: string) =>
  [...readFileSync(join(SRC, name), 'utf8').matchAll(/from '([^']+)'/g)].map(([, path = '']) => path)

describe('imports', () => {
  it.each(files)('%s imports only allowed parts', (name) => {
    const part = partOf(name)
    const targets = importsOf(name)
      .filter((path) => path.startsWith('.'))
      .map((path) => partOf(relative(SRC, join(SRC, dirname(name), path))))
    expect([part, ...(ARROWS[part] ?? [])]).toEqual(expect.arrayContaining(targets))
  })

  it.each(files.filter((name) => name.startsWith('node/')))(
    '%s imports only allowed folders of node',
    (name) => {
      const folderOf = (path: string) => partOf(relative('node', path))
      const targets = targetsOf(name).filter((path) => path.startsWith('node/'))
      const own = folderOf(name)
      expect([own, ...(NODE_ARROWS[own] ?? [])]).toEqual(expect.arrayContaining(targets.map(folderOf)))
    },
  )

  it.each(files.filter((name) => name.startsWith('sinks/')))(
    '%s imports only the messages of a wire, and no other sink',
    (name) => {
      const [, sink = ''] = name.split('/')
      const others = targetsOf(name).filter((path) => {
        const [part, folder = '', ...rest] = path.split('/')
        if (part === 'sinks') return rest.length > 0 && folder !== sink
        return part === 'wires' && !MESSAGE_FILES.has(rest.join('/'))
      })
      expect(others).toEqual([])
    },
  )

  it.each(files.filter((name) => name.startsWith('wires/')))('%s imports no other wire', (name) => {
    const wireOf = (path: string) => /^wires\/([^/]+)\//.exec(path)?.[1]
    const others = targetsOf(name).filter((path) => ![undefined, wireOf(name)].includes(wireOf(path)))
    expect(wireOf(name) === undefined ? [] : others).toEqual([])
  })

  it('has no circles', () => {
    expect(importCircles()).toEqual([])
  })

  it('of Node and the command line load no source, and no command, before one is needed', () => {
    const reached = reachedFrom(['node/index.ts', 'cli/main.ts'], targetsOf, new Set())
    expect(reached).toContain('wires/source-of.ts')
    expect(reached).toContain('cli/commands/all.ts')
    const isLazy = (name: string) =>
      /^wires\/([^/]+\/source|sources)\.ts$|^cli\/commands\/show\.ts$/.test(name)
    expect(reached.filter(isLazy)).toEqual([])
  })

  it('imports only the packages that are named here, except in the parts with Node', () => {
    const foreign = files
      .filter((name) => !WITH_NODE.has(partOf(name)))
      .flatMap((name) =>
        importsOf(name)
          .filter((path) => !path.startsWith('.'))
          .map((path) => `${partOf(name)}: ${path}`),
      )
    expect([...new Set(foreign)].sort()).toEqual([
      'conversations: immer',
      'identity: fast-json-stable-stringify',
      'json: @noble/hashes/sha2',
      'json: @noble/hashes/utils',
      'json: immer',
      'lineage: immer',
      'programs: diff',
      'programs: diff/lib/diff/array.js',
      'programs: diff/lib/patch/parse.js',
      'react: react',
      'react: use-sync-external-store/with-selector',
      'selectors: partial-json',
      'sync: eventsource-parser',
      'testing: fast-check',
    ])
  })

  it('uses clocks, randomness, the environment and the console only in the parts with Node', () => {
    const impure =
      /\bDate\b(?!\([^)]|\.parse\()|Math\.random|performance\.|process\.|console\.|globalThis|window\.|crypto\./
    expect(partsWith(impure)).toEqual([])
  })

  // The readers of other tools, which a check of a sink calls, are asynchronous. `sourceOf` loads one wire. A program has a field with the name `async`.
  it('uses timers and promises only in the parts with Node, the store, the connection of a page, the testing kit and the loader of wires', () => {
    const asynchronous =
      /setTimeout|setInterval|setImmediate|requestAnimationFrame|queueMicrotask|\bPromise\b|\basync\b(?!:)/
    expect(partsWith(asynchronous)).toEqual(['store', 'testing', 'wires', 'sync'])
  })
})

/** Returns the groups of files in which each file imports every other one, perhaps through others. An `import type` counts. */
function importCircles(): readonly (readonly string[])[] {
  const order = [...reachedFrom(files, targetsOf, new Set())].reverse()
  const importers = new Map<string, string[]>()
  for (const name of files)
    for (const target of targetsOf(name)) importers.set(target, [...(importers.get(target) ?? []), name])
  // Kosaraju's algorithm. In this order, a search along the reversed imports reaches only files of the same circle.
  const seen = new Set<string>()
  return order
    .map((name) => [...reachedFrom([name], (each) => importers.get(each) ?? [], seen)].sort())
    .filter((circle) => circle.length > 1)
}

/** Returns the files that the search reaches and that are not `seen` yet. Each comes after the files that it leads to. */
function reachedFrom(
  starts: readonly string[],
  next: (name: string) => readonly string[],
  seen: Set<string>,
): readonly string[] {
  return starts.flatMap((name) => {
    if (seen.has(name)) return []
    seen.add(name)
    return [...reachedFrom(next(name), next, seen), name]
  })
}

function targetsOf(name: string): readonly string[] {
  return importsOf(name).flatMap((path) => (path.startsWith('.') ? join(dirname(name), path) : []))
}

/** Returns the parts, except those with Node, whose source matches the pattern. */
function partsWith(pattern: RegExp): readonly string[] {
  const offenders = files.filter((name) => pattern.test(readFileSync(join(SRC, name), 'utf8')))
  return [...new Set(offenders.map(partOf))].filter((part) => !WITH_NODE.has(part))
}

function partOf(name: string): string {
  return name.split('/')[0]?.replace(/\.ts$/, '') ?? name
}
