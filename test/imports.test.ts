import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { describe, expect, it } from 'vitest'

/** The parts that each part may import (see "Data flow" in docs/contributing.md). A part may always import itself. */
const ARROWS: Readonly<Record<string, readonly string[]>> = {
  core: [],
  reading: ['core'],
  programs: ['core'],
  redaction: ['core'],
  'wires/kit': ['reading', 'core'],
  wires: ['wires/kit', 'reading', 'programs', 'core'],
  gateway: ['programs', 'core'],
  conversations: ['programs', 'core'],
  'recorded-turns': ['core'],
  sinks: ['redaction', 'wires', 'programs', 'core'],
  // The replies to requests are those of the wires.
  server: ['sinks', 'gateway', 'wires', 'wires/kit', 'reading', 'programs', 'core'],
  // The connection of a page speaks the protocol of `server/sync`.
  client: ['server', 'core'],
  checks: ['server', 'sinks', 'wires/kit', 'reading', 'programs', 'core'],
  // `..` is `package.json`: another version makes the index of sessions anew, and the command prints it.
  node: ['server', 'wires', 'reading', 'programs', 'redaction', 'core', '..'],
  cli: [
    'node',
    'server',
    'checks',
    'gateway',
    'sinks',
    'redaction',
    'wires',
    'reading',
    'programs',
    'core',
    '..',
  ],
  page: ['cli', 'sinks', 'redaction', 'programs', 'core'],
}

/** The folders of `core` that each of its folders may import. */
const CORE_ARROWS: Readonly<Record<string, readonly string[]>> = {
  json: [],
  state: ['json'],
  events: ['state', 'json'],
  reducer: ['events', 'state', 'json'],
  selectors: ['state', 'json'],
  store: ['reducer', 'events', 'state', 'json'],
  identity: ['selectors', 'state', 'json'],
  lineage: ['identity', 'selectors', 'state', 'json'],
}

/** The parts that run in Node alone (see "Data flow" in docs/contributing.md), and the server, which runs wherever there is a web standard server. */
const WITH_NODE: ReadonlySet<string> = new Set(['cli', 'server', 'node'])

/** The folders of `node` that each of its folders may import. `list` and `read` once imported each other. */
const NODE_ARROWS: Readonly<Record<string, readonly string[]>> = {
  log: [],
  fold: [],
  files: [],
  list: ['files', 'fold'],
  read: ['list', 'files', 'fold'],
  'search-pattern': [],
  search: ['search-pattern'],
  'session-index': ['search', 'search-pattern', 'follow', 'read', 'list', 'files', 'fold'],
  follow: ['read', 'files', 'fold'],
  'node-handler': [],
}

/** The files of a wire that show its messages. A sink writes such messages, and may import nothing else of a wire. */
const MESSAGE_FILES: ReadonlySet<string> = new Set(['event.ts', 'ids.ts', 'message.ts', 'shared-state.ts'])

const SRC = join(import.meta.dirname, '../src')
const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter((name) => /\.tsx?$/.test(name))
const library = files.filter((name) => !/^(?:page|entries)\//.test(name))
const importsOf = (name: string) =>
  [...readFileSync(join(SRC, name), 'utf8').matchAll(/from '([^']+)'/g)].map(([, path = '']) => path)

describe('imports', () => {
  it.each(files.filter((name) => !name.startsWith('entries/')))('%s imports only allowed parts', (name) => {
    const part = partOf(name)
    const targets = importsOf(name)
      .filter((path) => path.startsWith('.'))
      .map((path) => partOf(relative(SRC, join(SRC, dirname(name), path))))
    expect([part, ...(ARROWS[part] ?? [])]).toEqual(expect.arrayContaining(targets))
  })

  it.each(files.filter((name) => name.startsWith('core/')))(
    '%s imports only allowed folders of core',
    (name) => {
      const folderOf = (path: string) => path.split('/')[1] ?? ''
      const targets = targetsOf(name).map(folderOf)
      expect([folderOf(name), ...(CORE_ARROWS[folderOf(name)] ?? [])]).toEqual(
        expect.arrayContaining(targets),
      )
    },
  )

  it.each(files.filter((name) => name.startsWith('node/')))(
    '%s imports only allowed folders of node',
    (name) => {
      const folderOf = (path: string) => relative('node', path).split('/')[0]?.replace('.ts', '') ?? ''
      const targets = targetsOf(name).filter((path) => path.startsWith('node/'))
      const own = folderOf(name)
      expect([own, ...(NODE_ARROWS[own] ?? [])]).toEqual(expect.arrayContaining(targets.map(folderOf)))
    },
  )

  it.each(files.filter((name) => name.startsWith('sinks/')))(
    '%s imports only the messages of a wire, the plan of a session, and no other sink',
    (name) => {
      const [, sink = ''] = name.split('/')
      const others = targetsOf(name).filter((path) => {
        const [part, folder = '', ...rest] = path.split('/')
        if (part === 'sinks') return rest.length > 0 && folder !== sink && folder !== 'plan'
        return part === 'wires' && !MESSAGE_FILES.has(rest.join('/'))
      })
      expect(others).toEqual([])
    },
  )

  it.each(files.filter((name) => name.startsWith('wires/')))('%s imports no other wire', (name) => {
    const wireOf = (path: string) => /^wires\/([^/]+)\//.exec(path)?.[1]
    const others = targetsOf(name).filter((path) => ![undefined, wireOf(name)].includes(wireOf(path)))
    expect(wireOf(name) === undefined ? [] : others.filter((path) => wireOf(path) !== 'kit')).toEqual([])
  })

  it('has no circles', () => {
    expect(importCircles()).toEqual([])
  })

  it('of Node and the command line load no source, and no command, before one is needed', () => {
    // The main file loads the others when the cache of compiled code is on.
    const reached = reachedFrom(['entries/node.ts', 'cli/main.ts', 'cli/run.ts'], targetsOf, new Set())
    expect(reached).toContain('wires/source-of.ts')
    expect(reached).toContain('cli/commands/command.ts')
    const isLazy = (name: string) =>
      /^wires\/([^/]+\/source|sources)\.ts$|^cli\/commands\/show\.ts$/.test(name)
    expect(reached.filter(isLazy)).toEqual([])
  })

  it('imports only the packages that are named here, except in the parts with Node', () => {
    const foreign = library
      .filter((name) => !WITH_NODE.has(partOf(name)))
      .flatMap((name) =>
        importsOf(name)
          .filter((path) => !path.startsWith('.'))
          .map((path) => `${partOf(name)}: ${path}`),
      )
    expect([...new Set(foreign)].sort()).toEqual([
      'checks: fast-check',
      'client: eventsource-parser',
      'client: react',
      'conversations: immer',
      'core: @noble/hashes/sha2',
      'core: @noble/hashes/utils',
      'core: fast-json-stable-stringify',
      'core: immer',
      'core: partial-json',
      'programs: diff',
      'programs: diff/lib/diff/array.js',
      'programs: diff/lib/patch/parse.js',
    ])
  })

  // A page that wakes from sleep compares times: its timers stood still.
  it('uses clocks, randomness, the environment and the console only in the parts with Node, and a clock in the connection of a page', () => {
    const impure =
      /\bDate\b(?!\([^)]|\.parse\()|Math\.random|performance\.|process\.|console\.|globalThis|window\.|crypto\./
    expect(partsWith(impure)).toEqual(['client'])
    expect(
      library.filter(
        (name) => partOf(name) === 'client' && impure.test(readFileSync(join(SRC, name), 'utf8')),
      ),
    ).toEqual(['client/connect/message-stream.ts'])
  })

  // The readers of other tools, which a check of a sink calls, are asynchronous. `sourceOf` loads one wire. A program has a field with the name `async`.
  it('uses timers and promises only in the parts with Node, the store, the connection of a page, the testing kit and the loader of wires', () => {
    const asynchronous =
      /setTimeout|setInterval|setImmediate|requestAnimationFrame|queueMicrotask|\bPromise\b|\basync\b(?!:)/
    expect([...partsWith(asynchronous)].sort()).toEqual(['checks', 'client', 'core', 'wires'])
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
  const offenders = library.filter((name) => pattern.test(readFileSync(join(SRC, name), 'utf8')))
  return [...new Set(offenders.map(partOf))].filter((part) => !WITH_NODE.has(part))
}

function partOf(name: string): string {
  return name.startsWith('wires/kit/') ? 'wires/kit' : (name.split('/')[0] ?? name)
}
