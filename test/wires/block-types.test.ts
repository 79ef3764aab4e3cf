import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

/** The folders that write blocks. Other parts of formats look for single types. */
const SINKS = /^(?:ai-sdk|otel|markdown|acp|ag-ui)\//

const FOLDER = join(import.meta.dirname, '../../src/sinks')

/** A switch over types, with the value and the first line of its default. The default has the indent of the switch and two spaces. */
const SWITCH = /\n( *)switch \((?:(\w+)\.)?type\) \{\n([\s\S]*?)\n\1\}/g

/** Values that are no block of a session: a part of the AI SDK, which has any of its own types. */
const OTHER_VALUES: ReadonlySet<string | undefined> = new Set(['part'])

// A sink once left out new types of blocks in silence. `assertNever(block)`, or a function for the other types, does not compile for a new type.
it('a switch over the types of blocks hands the other types on', () => {
  const switches = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' })
    .filter((name) => SINKS.test(name) && name.endsWith('.ts'))
    .flatMap((name) => switchesIn(name, readFileSync(join(FOLDER, name), 'utf8')))
  expect(switches.filter(({ handsOn }) => !handsOn)).toEqual([])
  // A sink in a renamed folder is not seen.
  const sinks = new Set(switches.map(({ name }) => name.split('/')[0]))
  expect([...sinks].sort()).toEqual(['acp', 'ag-ui', 'ai-sdk', 'markdown', 'otel'])
  expect(switches.length).toBeGreaterThanOrEqual(9)
})

it.each([
  ['    switch (after.type) {\n      default:\n        return []\n    }', false],
  ['  switch (type) {\n    default:\n      return assertNever(type)\n  }', true],
  ['  switch (block.type) {\n    default:\n      return otherParts(block, lookup)\n  }', true],
  ["  switch (block.type) {\n    case 'error':\n      return []\n  }", true],
])('in %j, whether the other types are handed on: %j', (code, handsOn) => {
  expect(switchesIn('a.ts', `\n${code}\n`)).toEqual([{ name: 'a.ts', handsOn }])
})

interface TypeSwitch {
  readonly name: string
  /** Whether no default drops the value. Without a default, the compiler or the caller sees the other types. */
  readonly handsOn: boolean
}

function switchesIn(name: string, code: string): readonly TypeSwitch[] {
  return [...code.matchAll(SWITCH)].flatMap(([, indent = '', value, body = '']) => {
    if (OTHER_VALUES.has(value)) return []
    const [, line] = new RegExp(`(?:^|\\n)${indent}  default:\\s*([^\\n]*)`).exec(body) ?? []
    return { name, handsOn: line === undefined || new RegExp(`\\(${value ?? 'type'}\\b`).test(line) }
  })
}
