import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { type Architecture, parseTranscript, readTranscript } from '../../src/entries/index.ts'
import { repeated } from '../bench/repeated.ts'

// `npm run bench` measures that the cost of a message does not grow with the session. These tests check the result of long sessions.
describe.each<{ readonly architecture: Architecture; readonly path: string }>([
  { architecture: 'claude-sdk', path: 'claude-code/06-nested-forward/stream.ndjson' },
  { architecture: 'claude-sdk', path: 'claude-code/03-tools/stream.ndjson' },
  {
    architecture: 'claude-sdk',
    path: 'claude-code-1.0.128/05b-three-parallel-default/transcript/-srv-demo/0d15f1b0-f664-49e9-bb9d-0d3ab68cb4c2.jsonl',
  },
  { architecture: 'opencode', path: 'opencode/06-nested/events.ndjson' },
])('$path, repeated to 10,000 lines', ({ architecture, path }) => {
  const text = readFileSync(`fixtures/${path}`, 'utf8')
  const once = parseTranscript(architecture, text)
  const times = Math.ceil(10_000 / text.trim().split('\n').length)
  const long = repeated(text, once.session.id ?? '', 10_000)

  it('is read as one session with all its content', () => {
    const state = parseTranscript(architecture, long)
    const textsIn = ({ blocks }: { readonly blocks: typeof state.blocks }) =>
      blocks.map((block) => ('content' in block ? block.content : block.type))
    expect(textsIn(state)).toEqual(Array.from({ length: times }, () => textsIn(once)).flat())
    expect(state.subagents).toHaveLength(times * once.subagents.length)
    expect(state.subagents.at(-1)?.blocks.map(({ type }) => type)).toEqual(
      once.subagents.at(-1)?.blocks.map(({ type }) => type),
    )
    expect(new Set(state.subagents.map(({ status }) => status))).toEqual(
      new Set(once.subagents.map(({ status }) => status)),
    )
  })

  it('gives no issues, like the recording alone', () => {
    expect(readTranscript(architecture, long).issues).toEqual([])
  })
})
