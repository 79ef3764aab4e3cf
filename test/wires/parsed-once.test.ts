import { readFileSync } from 'node:fs'
import { afterEach, expect, it, vi } from 'vitest'
import { parseTranscript } from '../../src/entries/index.ts'

// Detection and reading used to parse a document, or the first 64 kB of lines, once each.

afterEach(() => vi.restoreAllMocks())

/** Returns the number of characters of each JSON text that a reading parses, in one sum. */
function parsedLength(text: string): number {
  const parse = vi.spyOn(JSON, 'parse')
  parseTranscript(text)
  return parse.mock.calls.reduce((sum, [json]) => sum + json.length, 0)
}

it('parses a document once, although detection asks for it too', () => {
  const text = readFileSync('fixtures/public/opencode/12-opencode-export/export.json', 'utf8')
  expect(parsedLength(text) / text.length).toBeLessThan(1.1)
})

it('parses few of the first lines a second time to detect the format', () => {
  const text = readFileSync(
    'fixtures/claude-code/06-nested-forward/transcript/-srv-demo/0a6eccd5-fb16-41c5-92bb-b1dd4b912bd8.jsonl',
    'utf8',
  )
  expect(parsedLength(text) / text.length).toBeLessThan(1.3)
})
