import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { describe, expect, it } from 'vitest'

/** The parts that each part may import (DESIGN, section 1). A part may always import itself. */
const ARROWS: Readonly<Record<string, readonly string[]>> = {
  json: [],
  state: ['json'],
  events: ['state', 'json'],
  reducer: ['events', 'state', 'json'],
  selectors: ['state', 'json'],
  formats: ['events', 'state', 'selectors', 'json'],
  parity: ['formats', 'selectors', 'state', 'json'],
  identity: ['formats', 'selectors', 'state', 'json'],
  lineage: ['formats', 'identity', 'selectors', 'state', 'json'],
  conversations: ['selectors', 'state', 'json'],
  sync: ['events', 'state', 'json'],
  store: ['reducer', 'events', 'state', 'json'],
  react: ['store', 'selectors', 'state', 'json'],
  transcript: ['formats', 'reducer', 'events', 'state', 'json'],
  testing: ['parity', 'formats', 'reducer', 'events', 'state', 'json'],
  cli: [
    'transcript',
    'identity',
    'lineage',
    'parity',
    'formats',
    'reducer',
    'selectors',
    'events',
    'state',
    'json',
  ],
  index: ['store', 'transcript', 'formats', 'reducer', 'selectors', 'events', 'state', 'json'],
}

const SRC = join(import.meta.dirname, '../src')
const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'))
const importsOf = (name: string) =>
  [...readFileSync(join(SRC, name), 'utf8').matchAll(/from '([^']+)'/g)].map(([, path = '']) => path)

describe('imports', () => {
  it.each(files)('%s follows the arrows', (name) => {
    const part = partOf(name)
    const targets = importsOf(name)
      .filter((path) => path.startsWith('.'))
      .map((path) => partOf(relative(SRC, join(SRC, dirname(name), path))))
    expect([part, ...(ARROWS[part] ?? [])]).toEqual(expect.arrayContaining(targets))
  })

  it('keeps packages and Node out of everything but the command line, the hashes and the hooks', () => {
    const foreign = files
      .filter((name) => partOf(name) !== 'cli')
      .flatMap((name) =>
        importsOf(name)
          .filter((path) => !path.startsWith('.'))
          .map((path) => `${partOf(name)}: ${path}`),
      )
    expect([...new Set(foreign)].sort()).toEqual([
      'conversations: immer',
      'identity: @noble/hashes/sha2',
      'identity: @noble/hashes/utils',
      'identity: fast-json-stable-stringify',
      'lineage: immer',
      'react: react',
      'testing: fast-check',
    ])
  })

  it('keeps clocks, randomness, the environment and the console out of everything but the command line', () => {
    const impure =
      /\bDate\b(?!\([^)]|\.parse\()|Math\.random|performance\.|process\.|console\.|globalThis|window\.|crypto\./
    expect(partsWith(impure)).toEqual([])
  })

  it('keeps timers and whatever else comes later out of everything but the command line and the store', () => {
    const later =
      /setTimeout|setInterval|setImmediate|requestAnimationFrame|queueMicrotask|\bPromise\b|\basync\b/
    expect(partsWith(later)).toEqual(['store'])
  })
})

/** The parts, the command line aside, in whose source something like that stands. */
function partsWith(pattern: RegExp): readonly string[] {
  const offenders = files.filter((name) => pattern.test(readFileSync(join(SRC, name), 'utf8')))
  return [...new Set(offenders.map(partOf))].filter((part) => part !== 'cli')
}

function partOf(name: string): string {
  return name.split('/')[0]?.replace(/\.ts$/, '') ?? name
}
