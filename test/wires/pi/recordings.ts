import { join } from 'node:path'
import { type RecordedForm, recordedForms } from '../../laws/recordings.ts'

/** The forms of all recordings of Pi and Oh My Pi. */
export const forms: readonly RecordedForm[] = [
  ...recordedForms(join(import.meta.dirname, '../../../fixtures/pi')),
]
