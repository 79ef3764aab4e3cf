import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { claudeTranscript } from '../../src/entries/claude.ts'
import { parseTranscript } from '../../src/entries/index.ts'
import { compareSessions } from '../../src/entries/parity.ts'

const FOLDER = join(import.meta.dirname, '../../fixtures/reports/claude-code')

/** Returns the state of a file, or of the files in a folder. */
function stateOf(path: string) {
  const place = join(FOLDER, path)
  if (statSync(place).isFile()) return parseTranscript(readFileSync(place, 'utf8'))
  const files = readdirSync(place, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /\.\w+$/.test(name),
  )
  return parseTranscript(
    'claude-sdk',
    claudeTranscript(
      Object.fromEntries(files.map((name) => [name, readFileSync(join(place, name), 'utf8')])),
    ),
  )
}

// Each side has its own words for the end of a turn.
it.each([
  ['a limit of turns', 'parity-max-turns/stream.ndjson', 'parity-max-turns/session.jsonl'],
  ['an error with words before it', 'parity-acp-error/connection.ndjson', 'parity-acp-error/files'],
  ['an error of an agent', 'parity-child-error/connection.ndjson', 'parity-child-error/files'],
])('words are no difference: %s', (_, live, stored) => {
  expect(compareSessions(stateOf(live), stateOf(stored)).differences).toEqual([])
})

it('times of one moment are no difference, and others are', () => {
  const state = stateOf('parity-max-turns/session.jsonl')
  const later = (ms: number) => ({
    ...state,
    blocks: state.blocks.map((block) =>
      block.timestamp === undefined
        ? block
        : { ...block, timestamp: new Date(Date.parse(block.timestamp) + ms).toISOString() },
    ),
  })
  expect(compareSessions(later(25), state).differences).toEqual([])
  expect(compareSessions(later(2000), state).differences).not.toEqual([])
})
