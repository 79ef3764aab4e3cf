import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

/** The folders that write blocks. Other parts of formats look for single types. */
const SINKS = /^(?:ai-sdk|otel|markdown|acp\/writing|ag-ui\/(?:stream|messages))\//

const FORMATS = join(import.meta.dirname, '../../src/formats')

// A sink once left out new types of blocks in silence. `assertNever(block)`, or a function for the other types, does not compile for a new type.
it('a switch over the types of blocks hands the other types on', () => {
  const silent = readdirSync(FORMATS, { recursive: true, encoding: 'utf8' })
    .filter((name) => SINKS.test(name) && name.endsWith('.ts'))
    .filter((name) => hasSilentDefault(readFileSync(join(FORMATS, name), 'utf8')))
  expect(silent).toEqual([])
})

function hasSilentDefault(code: string): boolean {
  const defaults = code.matchAll(/switch \(block\.type\) \{[\s\S]*?\n {4}default:\s*([^\n]*)/g)
  return [...defaults].some(([, line = '']) => !/\(block\b/.test(line))
}
