import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createReader, parseTranscript, sourceOf } from '../../../src/index.ts'
import type { SessionConversationState } from '../../../src/state/session.ts'

const FIXTURES = join(import.meta.dirname, '../../../fixtures')

const FILES = readdirSync(FIXTURES, { recursive: true, encoding: 'utf8' })

/** The recordings in which two lines state one text. */
const RECORDINGS = [
  ...FILES.filter((file) =>
    /^(?:codex\/[^/]+\/sessions|interactive\/codex-tui\/(?:02-|36-migrated\/store))\/.*rollout-[^/]*\.jsonl$/.test(
      file,
    ),
  ),
  'claude-code/02-thinking/stream.ndjson',
  'kilo/06-subagent/events.ndjson',
].sort()

const BROKEN = '{bad'

/** Lines that state a text which another line states too. */
const REPEATED: readonly RegExp[] = [
  /"type":"(?:event_msg|response_item)","payload":\{"type":"(?:user_message|agent_message|message|reasoning)"/,
  /"type":"item_completed".*"item":\{"type":"(?:UserMessage|AgentMessage|Reasoning)"/,
  /"type":"(?:assistant|sync)"/,
  /"type":"message\.part\.updated"/,
]

function linesOf(recording: string): readonly string[] {
  const raw = readFileSync(join(FIXTURES, recording), 'utf8')
  return raw.split('\n').filter((line) => line.trim() !== '')
}

function textsIn({ blocks, subagents }: SessionConversationState): readonly string[] {
  const all = [blocks, ...subagents.map((subagent) => subagent.blocks)].flat()
  return all.flatMap((block) => {
    if (block.type === 'user_message') return [`user: ${JSON.stringify(block.content)}`]
    return block.type === 'assistant_text' || block.type === 'thinking'
      ? [`${block.type}: ${block.content}`]
      : []
  })
}

function withBroken(lines: readonly string[], at: number): string {
  return lines.with(at, BROKEN).join('\n')
}

describe.each(RECORDINGS)('%s', (recording) => {
  const lines = linesOf(recording)
  const whole = textsIn(parseTranscript(lines.join('\n')))

  it('has each text once if one of the two lines that state it is broken', () => {
    const repeated = lines.flatMap((line, at) => (REPEATED.some((rule) => rule.test(line)) ? [at] : []))
    expect(repeated.length).toBeGreaterThan(0)
    for (const at of repeated) {
      const found = textsIn(parseTranscript(withBroken(lines, at)))
      const others = lines.filter((_, other) => other !== at).join('\n')
      const lost = whole.filter((text) => !found.includes(text) && !isStated(text, others))
      expect({ at, texts: found }).toEqual({ at, texts: whole.filter((text) => !lost.includes(text)) })
    }
  })

  it('has no other text and none twice if any line is broken', () => {
    for (const at of lines.keys()) {
      // Without its line, the rewind is lost, and the reply of a compaction is the one place of its summary.
      if (!/"thread_rolled_back"|"type":"compacted"/.test(lines[at] ?? ''))
        expectNoMore(withBroken(lines, at), at)
      expectNoMore(lines.toSpliced(at, 0, BROKEN).join('\n'), at)
    }
  })

  function expectNoMore(text: string, at: number): void {
    const left = [...whole]
    const more = textsIn(parseTranscript(text)).filter((found) => {
      const place = left.indexOf(found)
      if (place !== -1) left.splice(place, 1)
      return place === -1
    })
    expect({ at, more }).toEqual({ at, more: [] })
  }
})

/** Whether the lines still have the words of a text. */
function isStated(text: string, lines: string): boolean {
  const words = text.slice(text.indexOf(': ') + 2)
  return lines.includes(JSON.stringify(words).slice(1, -1)) || lines.includes(words)
}

it.each(RECORDINGS.filter((recording) => basename(recording).startsWith('rollout-')).slice(0, 3))(
  'reads broken lines one by one as all at once: %s',
  async (recording) => {
    const lines = linesOf(recording)
    for (const at of lines.keys()) {
      const text = withBroken(lines, at)
      const reader = createReader(await sourceOf('codex'))
      for (const line of text.split('\n')) reader.push(`${line}\n`)
      reader.end()
      expect(textsIn(reader.state)).toEqual(textsIn(parseTranscript('codex', text)))
    }
  },
)
