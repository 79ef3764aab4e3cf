import { join } from 'node:path'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { toAtif } from '../../src/entries/atif.ts'
import { sourceOf } from '../../src/entries/index.ts'
import { toMarkdown } from '../../src/entries/markdown.ts'
import { writablePrograms, writeSession } from '../../src/entries/writers.ts'
import { recordedForms } from '../laws/recordings.ts'
import { STEP_WIRES } from '../laws/steps-forms.ts'
import { messagesOf } from './messages-in.ts'
import { anySpoiler, stateOf } from './spoil.ts'

const FIXTURES = join(import.meta.dirname, '../../fixtures')
const forms = ['cline', 'laws/cline', 'kimi', 'qwen', 'gemini', 'pi', 'copilot', ...STEP_WIRES].flatMap(
  (folder) => [...recordedForms(join(FIXTURES, folder))],
)

describe('fields of a wrong kind leave a session that can be read, shown and handed over', () => {
  it('has recordings of each program', () => {
    expect(forms.length).toBeGreaterThan(20)
  })

  it.each(forms.map((form) => [`${form.recording}, ${form.form}`, form] as const))(
    '%s',
    async (_, { architecture, raw }) => {
      const source = await sourceOf(architecture)
      const messages = messagesOf(architecture, raw)
      fc.assert(
        fc.property(anySpoiler, (spoil) => {
          const state = stateOf(source, messages.map(spoil))
          toMarkdown(state)
          toAtif(state)
          for (const program of writablePrograms()) writeSession(state, { program, cwd: '/srv/demo' })
        }),
        { numRuns: 3 },
      )
    },
  )
})
