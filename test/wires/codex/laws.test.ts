import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { checkJoin, checkSource } from '../../../src/entries/testing.ts'
import { codexSource } from '../../../src/wires/codex/source.ts'
import { recordedForms } from '../../laws/recordings.ts'
import { messagesOf } from '../messages-in.ts'
import { formsOf, recordings } from './recordings.ts'

const forms = recordings.flatMap((recording) =>
  formsOf(recording).map(([form, , raw]) => ({ name: recording.name, form, raw })),
)

describe.each(forms)('$name, $form', ({ raw }) => {
  it('keeps the laws of a source', () => {
    checkSource(codexSource, messagesOf('codex', raw))
  })
})

// The items of `codex exec` have no ids that tell a repeated process from a further one.
const interactive = [...recordedForms(join(import.meta.dirname, '../../../fixtures/interactive/codex-tui'))]
const withIds = [
  ...forms.filter(({ form }) => !form.startsWith('exec')),
  ...interactive.map(({ recording, ...form }) => ({ name: recording, ...form })),
]

describe.each(withIds)('$name, $form', ({ raw }) => {
  it('stays the same if its last messages come again', () => {
    const messages = messagesOf('codex', raw)
    const { session } = codexSource.read(codexSource.open(), messages)
    for (const count of [1, 2, 3, 5, 8, 13, 21, 34, 55, messages.length]) {
      const again = codexSource.read(session, messages.slice(-count)).session
      expect(again.state, `${count} messages`).toEqual(session.state)
    }
  })
})

/** Earlier versions have no ids of messages in their files. */
const joined = recordings.filter(({ version }) => version === '0.169.0')

describe.each(joined)('$name: the files, then the stream of the app-server', ({ app }) => {
  it('adds only content that the files do not carry', () => {
    const live = messagesOf('codex', app.live)
    checkJoin(codexSource, { history: messagesOf('codex', app.disk), live, cuts: cutsOf(live) })
  })
})

/** The numbers of messages that come again in a way of `checkJoin`, by the cut. */
const REPEATED = [1, 3, 20]

/** Returns every third message, and none between a request and its answer: an answer alone does not name the call. */
function cutsOf(live: readonly unknown[]): readonly number[] {
  const asked = live.map((message) => /requestApproval/.test(JSON.stringify(message)))
  const answered = live.map((message) => /"decision"/.test(JSON.stringify(message)))
  const isBetween = (at: number) =>
    asked.slice(0, Math.max(0, at)).lastIndexOf(true) > answered.slice(0, Math.max(0, at)).lastIndexOf(true)
  return [...live.keys()].filter(
    (at) =>
      at % 3 === 0 && ![0, REPEATED[0], REPEATED[1], REPEATED[2]].some((count = 0) => isBetween(at - count)),
  )
}
