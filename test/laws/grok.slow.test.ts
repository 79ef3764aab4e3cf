import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { lawFaults } from './law-faults.ts'
import { recordedForms } from './recordings.ts'

const forms = [...recordedForms(join(import.meta.dirname, '../../fixtures/grok'))]

describe.each(forms.filter(({ form }) => form !== 'stream'))('$recording, $form', (form) => {
  it('obeys the laws Facts, Prefix, End, Save and Join', () => {
    expect(lawFaults(form, { cuts: 3 })).toEqual([])
  })
})
