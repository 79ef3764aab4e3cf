import { describe, expect, it } from 'vitest'
import { claudeEntries } from '../../src/formats/claude/files/entries.ts'
import { claudeSource } from '../../src/formats/claude/source.ts'
import type { Entry } from '../../src/formats/entries.ts'
import { opencodeEntries } from '../../src/formats/opencode/files/entries.ts'
import { opencodeSource } from '../../src/formats/opencode/source.ts'
import { batchOf } from '../../src/formats/reader.ts'
import {
  createInitialConversationState,
  parseTranscript,
  readTranscript,
  reduceSessionEvents,
  type Source,
} from '../../src/index.ts'
import * as opencode from './opencode/recordings.ts'
import * as claude from './recordings.ts'

const messagesIn = (entries: Iterable<Entry>) =>
  [...entries].flatMap((entry) => ('message' in entry ? [entry.message] : []))

/** Each message in one long batch gives what it gives alone, and leaves the same memory in the end. */
function expectSameInBatch<Memory>(source: Source<Memory>, messages: readonly unknown[]): void {
  const batch = batchOf(source, source.initial)
  let memory = source.initial
  for (const message of messages) {
    const alone = source.translate(memory, message)
    memory = alone.memory
    const { events, issues } = batch.translate(message)
    expect({ events, issues }).toEqual({ events: alone.events, issues: alone.issues })
  }
  expect(source.save(batch.finish())).toEqual(source.save(memory))
}

describe.each(claude.allRecordings)('Claude Code, $name', ({ stream, disk }) => {
  it('gives the same in one batch as message by message', () => {
    expectSameInBatch(claudeSource, messagesIn(claudeEntries(stream)))
    expectSameInBatch(claudeSource, messagesIn(claudeEntries(disk)))
  })
  it('has events that pass the check which parseTranscript leaves out', () => {
    const { events } = readTranscript('claude-sdk', disk)
    const checked = reduceSessionEvents(createInitialConversationState(), events)
    expect(parseTranscript('claude-sdk', disk)).toEqual(checked)
  })
})

describe.each(opencode.recordings)('OpenCode, $name', ({ events: bus, disk }) => {
  it('gives the same in one batch as message by message', () => {
    expectSameInBatch(opencodeSource, messagesIn(opencodeEntries(bus)))
    expectSameInBatch(opencodeSource, messagesIn(opencodeEntries(disk)))
  })
  it('has events that pass the check which parseTranscript leaves out', () => {
    const { events } = readTranscript('opencode', bus)
    const checked = reduceSessionEvents(createInitialConversationState(), events)
    expect(parseTranscript('opencode', bus)).toEqual(checked)
  })
})
