import { join } from 'node:path'
import { asObject } from '../../../src/core/json/values.ts'
import { readEvent } from '../../../src/wires/copilot/messages.ts'
import { type RecordedForm, recordedForms } from '../../laws/recordings.ts'
import { messagesOf } from '../messages-in.ts'

/** The forms of all recordings on Copilot's own wire. `log` is a connection of the SDK. */
export const forms: readonly RecordedForm[] = [
  ...recordedForms(join(import.meta.dirname, '../../../fixtures/copilot')),
]
  .filter(({ architecture }) => architecture === 'copilot')
  .map((form) => (form.form === 'rpc' ? { ...form, form: 'log' } : form))

/** The two sides of one session. */
export interface Pair {
  readonly name: string
  readonly live: readonly unknown[]
  readonly stored: readonly unknown[]
}

/** Each live form with the file that the same process left. */
export const pairs: readonly Pair[] = forms.flatMap(({ recording, form, raw }) => {
  const store = { stream: 'store', log: 'rpc-store' }[form]
  const stored = forms.find((each) => each.recording === recording && each.form === store)
  if (!stored) return []
  return [
    {
      name: `${recording}, ${form}`,
      live: messagesOf('copilot', raw),
      stored: messagesOf('copilot', stored.raw),
    },
  ]
})

/** Returns the file as it was when the live form had sent so many messages. */
export function storedAt({ live, stored }: Pair, cut: number): readonly unknown[] {
  const idOf = (message: unknown) => readEvent(asObject(message))?.id
  const sent = new Set(live.slice(0, cut).map(idOf))
  const last = stored.findLastIndex((message) => sent.has(idOf(message)))
  return stored.slice(0, last + 1)
}
