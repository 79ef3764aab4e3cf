import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { FileChange } from '../../../src/core/state/file-change.ts'
import type { SessionConversationState } from '../../../src/core/state/session.ts'
import { createReader, parseTranscript, sourceOf } from '../../../src/entries/index.ts'
import { sampleOf } from '../../depth.ts'

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

/** Each broken line costs as much as the whole recording. */
const MOST_LINES = 40

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
    for (const at of sampleOf([...lines.keys()], MOST_LINES)) {
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
    for (const at of sampleOf([...lines.keys()], MOST_LINES)) {
      const text = withBroken(lines, at)
      const reader = createReader(await sourceOf('codex'))
      for (const line of text.split('\n')) reader.push(`${line}\n`)
      reader.end()
      expect(textsIn(reader.state)).toEqual(textsIn(parseTranscript('codex', text)))
    }
  },
)

/** The files of Claude Code with a prompt that leaves the queue, and the places of the lines that hold such prompts. */
const QUEUED = FILES.filter((file) => /^(?:claude-code|interactive)\b.*\/[\da-f-]{36}\.jsonl$/.test(file))
  .map((recording) => ({ recording, lines: linesOf(recording) }))
  .map(({ recording, lines }) => ({ recording, lines, places: placesOfDequeued(lines) }))
  .filter(({ places }) => places.length > 0)

function placesOfDequeued(lines: readonly string[]): readonly number[] {
  return [...lines.keys()].filter((at) => {
    const [words] = /(?<="role":"user","content":)"(?:\\.|[^"\\<])+"/.exec(lines[at] ?? '') ?? []
    const isQueued = lines
      .slice(0, at)
      .some((line) => line.includes('"operation":"enqueue"') && line.includes(`"content":${words}`))
    return isQueued && /"operation":"dequeue"/.test(lines[at - 1] ?? '')
  })
}

it('has recordings of prompts that leave the queue', () => expect(QUEUED.length).toBeGreaterThan(10))

// A prompt stands in the queue and in a line of its own. With a broken line it was lost.
it.each(QUEUED)(
  'has the prompt that leaves the queue before a broken line: $recording',
  ({ lines, places }) => {
    const whole = textsIn(parseTranscript(lines.join('\n')))
    for (const at of places) {
      expect({ at, texts: textsIn(parseTranscript(withBroken(lines, at))) }).toEqual({ at, texts: whole })
      const beside = parseTranscript(lines.toSpliced(at, 0, BROKEN).join('\n'))
      expect({ at, texts: textsIn(beside) }).toEqual({ at, texts: whole })
    }
  },
)

/** The files with a diff in the record of a result, and the places of the lines with the calls. */
const EDITED = FILES.filter((file) =>
  /^(?:claude-code|interactive|laws\/(?:qwen|pi))\b.*[\da-f-]{36}\.jsonl$/.test(file),
)
  .map((recording) => ({ recording, lines: linesOf(recording) }))
  .map(({ recording, lines }) => ({ recording, lines, places: placesOfEdits(lines) }))
  .filter(({ places }) => places.length > 0)

function placesOfEdits(lines: readonly string[]): readonly number[] {
  const results = lines.filter((line) =>
    /"(?:structuredPatch|updated_file|bashEditDiff|fileDiff|patch)":/.test(line),
  )
  const ids = results.flatMap((line) => /"(?:tool_use_id|callId|toolCallId)":("[^"]+")/.exec(line)?.[1] ?? [])
  const isCall = (line: string, id: string) =>
    line.includes(`"id":${id}`) && /"tool_use"|"functionCall"|"toolCall"/.test(line)
  return [...lines.keys()].filter((at) => ids.some((id) => isCall(lines[at] ?? '', id)))
}

it('has recordings of edits', () => expect(EDITED.length).toBeGreaterThan(5))

// The record of a result has the diff and the path. With a broken line of the call, the change was lost.
it.each(EDITED)('has the changes of a call whose line is broken: $recording', ({ lines, places }) => {
  const whole = changesIn(parseTranscript(lines.join('\n')))
  for (const at of places) {
    const found = changesIn(parseTranscript(withBroken(lines, at)))
    expect({ at, changes: found }).toEqual({ at, changes: whole })
  }
})

function changesIn({ blocks, subagents }: SessionConversationState): readonly FileChange[] {
  const all = [blocks, ...subagents.map((subagent) => subagent.blocks)].flat()
  return all.flatMap((block) => (block.type === 'tool_result' ? (block.changes ?? []) : []))
}
