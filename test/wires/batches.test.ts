import { describe, expect, it } from 'vitest'
import {
  createInitialConversationState,
  parseTranscript,
  readTranscript,
  reduceSessionEvents,
} from '../../src/index.ts'
import { claudeEntries } from '../../src/wires/claude/files/entries.ts'
import { claudeSource } from '../../src/wires/claude/source.ts'
import { codexEntries } from '../../src/wires/codex/files/entries.ts'
import { codexSource } from '../../src/wires/codex/source.ts'
import { opencodeEntries } from '../../src/wires/opencode/files/entries.ts'
import { opencodeSource } from '../../src/wires/opencode/source.ts'
import * as codex from './codex/recordings.ts'
import { messagesIn } from './messages-in.ts'
import * as opencode from './opencode/recordings.ts'
import * as claude from './recordings.ts'
import { expectSameInBatch } from './same-in-batch.ts'

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

describe.each(codex.recordings)('Codex, $name', ({ exec, app }) => {
  it('gives the same in one batch as message by message', () => {
    for (const run of exec ? [exec, app] : [app]) {
      expectSameInBatch(codexSource, messagesIn(codexEntries(run.live)))
      expectSameInBatch(codexSource, messagesIn(codexEntries(run.disk)))
    }
  })
  it('has events that pass the check which parseTranscript leaves out', () => {
    const { events } = readTranscript('codex', app.disk)
    const checked = reduceSessionEvents(createInitialConversationState(), events)
    expect(parseTranscript('codex', app.disk)).toEqual(checked)
  })
})
