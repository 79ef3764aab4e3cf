import { lawFaults } from '../../test/laws/law-faults.ts'
import { recordedForms } from '../../test/laws/recordings.ts'

/** A form of a recording, and where the library reads it wrongly. */
export interface CheckedForm {
  readonly form: string
  readonly faults: readonly string[]
}

/** Holds each form of a recording against its facts and the laws. */
export function checkRecording(folder: string): readonly CheckedForm[] {
  return [...recordedForms(folder)].map((form) => ({ form: form.form, faults: lawFaults(form) }))
}
