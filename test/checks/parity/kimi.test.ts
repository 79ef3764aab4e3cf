import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parseTranscript } from '../../../src/entries/index.ts'
import { compareSessions } from '../../../src/entries/parity.ts'
import { recordedForms } from '../../laws/recordings.ts'
import { excludedKinds } from './sessions.ts'

const forms = [...recordedForms(join(import.meta.dirname, '../../../fixtures/kimi'))]
const pairs = forms
  .filter(({ form }) => form !== 'store')
  .flatMap(({ recording, form, architecture, raw }) =>
    forms
      .filter((each) => each.recording === recording && each.form === 'store')
      .map((stored) => ({
        name: recording,
        form,
        live: parseTranscript(architecture, raw),
        stored: parseTranscript('kimi', stored.raw),
      })),
  )

/** The content that only one form carries. */
const SERVER = [
  'live unknown-fact',
  // The model of a step.
  'stored unknown-fact',
  // In the files, a request comes before its call.
  'live tool-result-place',
  // The tokens of a step that was stopped.
  'stored unseen-usage',
]
const LINES = [
  ...SERVER,
  'stored prompt',
  'stored program-note',
  'stored thinking',
  'stored turn-failure',
  'stored subagent-conversation',
]
const ACP = [
  ...SERVER,
  'stored program-note',
  'stored subagent-conversation',
  'live request',
  'stored request',
  'live request-words',
]
const CARRIED: Readonly<Record<string, readonly string[]>> = { events: SERVER, stream: LINES, rpc: ACP }

describe.each(pairs)('$name, $form', ({ form, live, stored }) => {
  it('is equal on both sides', () => {
    expect(compareSessions(live, stored).differences).toEqual([])
  })

  it('excludes only content that one side does not carry', () => {
    const excluded = excludedKinds(compareSessions(live, stored))
    expect(CARRIED[form]).toEqual(expect.arrayContaining([...excluded]))
  })
})
