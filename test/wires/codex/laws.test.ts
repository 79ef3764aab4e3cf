import { join } from 'node:path'
import { describe, it } from 'vitest'
import { checkJoin } from '../../../src/entries/testing.ts'
import { codexSource } from '../../../src/wires/codex/source.ts'
import { depth, isThorough, sampleOf } from '../../depth.ts'
import { expectSame } from '../../expect-same.ts'
import { sessionsWithBothForms } from '../../laws/both-forms.ts'
import { recordedForms } from '../../laws/recordings.ts'
import { messagesOf } from '../messages-in.ts'
import { formsOf, recordings } from './recordings.ts'

const forms = recordings.flatMap((recording) =>
  formsOf(recording).map(([form, , raw]) => ({ name: recording.name, form, raw })),
)

// The items of `codex exec` have no ids that tell a repeated process from a further one.
const interactive = [...recordedForms(join(import.meta.dirname, '../../../fixtures/interactive/codex-tui'))]
const withIds = [
  ...forms.filter(({ form }) => !form.startsWith('exec')),
  ...interactive.map(({ recording, ...form }) => ({ name: recording, ...form })),
]

describe.each(withIds)('$name, $form', ({ name, raw }) => {
  it('stays the same if its last messages come again', () => {
    const messages = messagesOf('codex', raw)
    const { session } = codexSource.read(codexSource.open(), messages)
    for (const count of isThorough ? [1, 2, 5, 8, 13, 34, 55] : [3, 21, messages.length]) {
      const again = codexSource.read(session, messages.slice(-count)).session
      expectSame(again.state, session.state, { recording: name, cut: `the last ${count}` })
    }
  })
})

// Files of versions up to 0.142 have no ids of prompts, and those of 0.104 none of texts.
const joined = [
  ...recordings.map(({ name, app }) => ({ name, stored: app.disk, live: app.live })),
  ...sessionsWithBothForms(interactive),
]

/** Sessions that break the Join law at some cuts. `test/laws/both-forms.test.ts` checks the lists of all but the fork. */
const INEXACT: readonly RegExp[] = [
  // A state alone has no ids of turns, and this version states no times in its stream.
  /^0\.104\.0-03-commands$/,
  // A note that turns were taken back comes again without the request, which names the place.
  /^0[46]-backtrack-|^36-migrated/,
  // The stream is cut in the middle of a question, or shows what only the file of a reviewer has.
  /^11-question|^24-review/,
  // The stream has a second thread: a fork, or one of the process that compresses.
  /^22-fork|^35-compressed/,
]

const exact = joined.filter(({ name }) => !INEXACT.some((pattern) => pattern.test(name)))

describe.each(exact)('$name: the files, then the stream of the app-server', (forms) => {
  it('adds only content that the files do not carry', () => {
    const live = messagesOf('codex', forms.live)
    const cuts = sampleOf([...live.keys()], depth({ few: 3, all: 12 }))
    checkJoin(codexSource, { history: messagesOf('codex', forms.stored), live, cuts })
  })
})
