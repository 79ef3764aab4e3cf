import { describe, expect, it } from 'vitest'
import {
  createInitialConversationState,
  parseTranscript,
  readTranscript,
  reduceSessionEvents,
} from '../../src/entries/index.ts'
import * as codex from './codex/recordings.ts'
import * as opencode from './opencode/recordings.ts'
import * as claude from './recordings.ts'

describe.each(claude.allRecordings)('Claude Code, $name', ({ disk }) => {
  it('has events that pass the check which parseTranscript leaves out', () => {
    const { events } = readTranscript('claude-sdk', disk)
    const checked = reduceSessionEvents(createInitialConversationState(), events)
    expect(parseTranscript('claude-sdk', disk)).toEqual(checked)
  })
})

describe.each(opencode.recordings)('OpenCode, $name', ({ events: bus }) => {
  it('has events that pass the check which parseTranscript leaves out', () => {
    const { events } = readTranscript('opencode', bus)
    const checked = reduceSessionEvents(createInitialConversationState(), events)
    expect(parseTranscript('opencode', bus)).toEqual(checked)
  })
})

describe.each(codex.recordings)('Codex, $name', ({ app }) => {
  it('has events that pass the check which parseTranscript leaves out', () => {
    const { events } = readTranscript('codex', app.disk)
    const checked = reduceSessionEvents(createInitialConversationState(), events)
    expect(parseTranscript('codex', app.disk)).toEqual(checked)
  })
})
