import { describe, expect, it } from 'vitest'
import {
  createInitialConversationState,
  parseTranscript,
  readTranscript,
  reduceSessionEvents,
} from '../../src/entries/index.ts'
import { claudeSource } from '../../src/wires/claude/source.ts'
import { codexSource } from '../../src/wires/codex/source.ts'
import { opencodeSource } from '../../src/wires/opencode/source.ts'
import * as codex from './codex/recordings.ts'
import { messagesOf } from './messages-in.ts'
import * as opencode from './opencode/recordings.ts'
import * as claude from './recordings.ts'
import { expectSameInBatch } from './same-in-batch.ts'

describe.each(claude.allRecordings)('Claude Code, $name', ({ stream, disk }) => {
  it('gives the same in one batch as message by message', () => {
    expectSameInBatch(claudeSource, messagesOf('claude-sdk', stream))
    expectSameInBatch(claudeSource, messagesOf('claude-sdk', disk))
  })
  it('has events that pass the check which parseTranscript leaves out', () => {
    const { events } = readTranscript('claude-sdk', disk)
    const checked = reduceSessionEvents(createInitialConversationState(), events)
    expect(parseTranscript('claude-sdk', disk)).toEqual(checked)
  })
})

describe.each(opencode.recordings)('OpenCode, $name', ({ events: bus, disk }) => {
  it('gives the same in one batch as message by message', () => {
    expectSameInBatch(opencodeSource, messagesOf('opencode', bus))
    expectSameInBatch(opencodeSource, messagesOf('opencode', disk))
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
      expectSameInBatch(codexSource, messagesOf('codex', run.live))
      expectSameInBatch(codexSource, messagesOf('codex', run.disk))
    }
  })
  it('has events that pass the check which parseTranscript leaves out', () => {
    const { events } = readTranscript('codex', app.disk)
    const checked = reduceSessionEvents(createInitialConversationState(), events)
    expect(parseTranscript('codex', app.disk)).toEqual(checked)
  })
})
