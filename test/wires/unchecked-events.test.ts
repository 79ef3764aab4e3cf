import { expect, it } from 'vitest'
import {
  createInitialConversationState,
  parseTranscript,
  readTranscript,
  reduceSessionEvents,
} from '../../src/entries/index.ts'
import * as codex from './codex/recordings.ts'
import * as opencode from './opencode/recordings.ts'
import * as claude from './recordings.ts'

it.each([
  ...claude.allRecordings.map(({ name, disk }) => ['claude-sdk', name, disk] as const),
  ...opencode.recordings.map(({ name, events }) => ['opencode', name, events] as const),
  ...codex.recordings.map(({ name, app }) => ['codex', name, app.disk] as const),
])('%s, %s: events pass the check which parseTranscript leaves out', (architecture, _, raw) => {
  const { events } = readTranscript(architecture, raw)
  const checked = reduceSessionEvents(createInitialConversationState(), events)
  expect(parseTranscript(architecture, raw)).toEqual(checked)
})
