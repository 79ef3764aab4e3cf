import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { isThorough } from '../depth.ts'
import { lawFaults } from './law-faults.ts'
import { recordedForms } from './recordings.ts'
import { STEP_WIRES } from './steps-forms.ts'

const forms = ['interactive', 'copilot', 'gemini', 'qwen', 'cline', 'laws', ...STEP_WIRES].flatMap((name) => [
  ...recordedForms(join(import.meta.dirname, '../../fixtures', name)),
])

const PLACES = isThorough ? { cuts: 3 } : { cuts: 1, prefixes: 40, endsEvery: 20 }

// The laws of all its forms are in `grok.slow.test.ts`.
const streams = [...recordedForms(join(import.meta.dirname, '../../fixtures/grok'))].filter(
  ({ form }) => form === 'stream',
)

// The name of the program is there for `-t`.
describe.each([...forms, ...streams])('$facts.program, $recording, $form', (form) => {
  it('obeys the laws Facts, Prefix, End, Save and Join', () => {
    expect(lawFaults(form, PLACES)).toEqual([])
  })
})

it('has forms of each recording', () => {
  expect(new Set(forms.map(({ recording }) => recording)).size).toBeGreaterThan(15)
})
