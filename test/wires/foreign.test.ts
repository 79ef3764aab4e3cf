import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import {
  type Architecture,
  detectArchitecture,
  parseTranscript,
  TranscriptError,
} from '../../src/entries/index.ts'
import { allFormats } from '../../src/wires/all.ts'
import { depth, isThorough } from '../depth.ts'
import { FOLDERS } from './fixture-folders.ts'

const FIXTURES = join(import.meta.dirname, '../../fixtures')

/** The recorded outputs of a program, with its wire. Files of the client were written by no program. */
const recorded = readdirSync(FIXTURES, { recursive: true, encoding: 'utf8' }).flatMap((path) => {
  const own = FOLDERS.find(([folder]) => folder.test(path))?.[1]
  return own && /\.(ndjson|jsonl)$/.test(path) && !/stdin/.test(path) ? [{ path, own }] : []
})

function refusalOf(work: () => unknown): string | undefined {
  try {
    work()
    return undefined
  } catch (error) {
    return error instanceof TranscriptError ? error.code : String(error)
  }
}

it('a recording is refused by each wire but its own, whole, cut and without its first line', () => {
  const others = (own: Architecture) => allFormats().flatMap(({ name }) => (name === own ? [] : [name]))
  const accepted: string[] = []
  for (const [at, { path, own }] of recorded.entries()) {
    const lines = readFileSync(join(FIXTURES, path), 'utf8')
      .split('\n')
      .slice(0, depth({ few: 16, all: 60 }))
    const half = Math.floor(lines.length / 2)
    const parts = [lines, lines.slice(1), lines.slice(half), lines.slice(0, half)]
    for (const [place, part] of isThorough ? parts.entries() : [[at % 4, parts[at % 4] ?? []] as const]) {
      const text = part.join('\n')
      // A part without a proof shows no program.
      if (text.trim() === '' || detectArchitecture(text) === undefined) continue
      // Each part goes to a third of the wires, and all parts together to each wire.
      for (const other of others(own).filter((_, wire) => (wire + at + place) % 3 === 0))
        if (refusalOf(() => parseTranscript(other, text)) !== 'not-a-transcript')
          accepted.push(`${path}: ${other}`)
    }
  }
  expect(accepted).toEqual([])
})

const asLines = (...values: readonly unknown[]) => values.map((value) => JSON.stringify(value)).join('\n')
const said = (role: string, text: string) => ({ role, content: [{ type: 'text', text }] })

it.each<[string, string]>([
  [
    'a stream of Cursor, which looks like one of Claude Code',
    asLines(
      { type: 'system', subtype: 'init', apiKeySource: 'login', cwd: '/srv', session_id: 's1', model: 'm' },
      { type: 'user', message: said('user', 'Go.'), session_id: 's1' },
      { type: 'tool_call', subtype: 'started', call_id: 'c1', tool_call: {}, session_id: 's1' },
      { type: 'assistant', message: said('assistant', 'Done.'), session_id: 's1' },
      { type: 'result', subtype: 'success', is_error: false, result: 'Done.', session_id: 's1' },
    ),
  ],
  [
    'a session of Goose',
    asLines(
      { working_dir: '/srv', description: 'Go', message_count: 2, schedule_id: null },
      { role: 'user', created: 1, content: [{ type: 'text', text: 'Go.' }] },
      { role: 'assistant', created: 2, content: [{ type: 'toolRequest', id: 'c1', toolCall: {} }] },
    ),
  ],
  ['a history of Aider', '# aider chat started at 2026-01-01\n\n#### Go.\n\nDone.\n\n> Tokens: 1k sent\n'],
  [
    'an export of chats',
    JSON.stringify([
      { id: 'c1', title: 'Go', mapping: { a: { message: { author: { role: 'user' } } } } },
      { uuid: 'c2', name: 'Go', chat_messages: [{ sender: 'human', text: 'Go.' }] },
    ]),
  ],
  ['a list of messages', JSON.stringify([{ role: 'user', content: 'Go.' }, said('assistant', 'Done.')])],
  [
    'a request to an API',
    JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'Go.' }], tools: [{ name: 'Bash' }] }),
  ],
  [
    'events of an API',
    asLines(
      { type: 'message_start', message: { id: 'm1', type: 'message', role: 'assistant', content: [] } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Done.' } },
      { type: 'message_stop' },
    ),
  ],
  [
    'responses of an API',
    asLines(
      { type: 'response.created', response: { id: 'r1', status: 'in_progress' } },
      { type: 'response.output_text.delta', item_id: 'i1', delta: 'Done.' },
      { type: 'response.completed', response: { id: 'r1', status: 'completed' } },
    ),
  ],
  [
    'a log',
    asLines(
      { level: 30, time: 1, pid: 1, msg: 'started', type: 'system' },
      { level: 'info', ts: 2, event: 'session.start', session: 's1' },
      { type: 'error', message: 'failed', timestamp: '2026-01-01T00:00:00Z' },
    ),
  ],
  [
    'a package.json',
    JSON.stringify({ name: 'tea', version: '1.0.0', type: 'module', scripts: { test: 'vitest' } }, null, 2),
  ],
  [
    'a notebook',
    JSON.stringify({
      cells: [{ cell_type: 'code', source: ['1'], outputs: [] }],
      metadata: {},
      nbformat: 4,
    }),
  ],
  ['a lock file', JSON.stringify({ name: 'tea', lockfileVersion: 3, packages: { '': {} } })],
  [
    'telemetry',
    JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: [{ traceId: 't', name: 'chat' }] }] }] }),
  ],
  ['a map', JSON.stringify({ type: 'FeatureCollection', features: [{ type: 'Feature', id: 'f1' }] })],
  ['a table', 'type,session_id,message\nuser,s1,Go.\n'],
])('a file of a program that no wire reads is unknown: %s', (_, raw) => {
  expect(detectArchitecture(raw)).toBeUndefined()
  expect(refusalOf(() => parseTranscript(raw))).toBe('not-a-transcript')
})
