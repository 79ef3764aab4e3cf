import { describe, it } from 'vitest'
import { checkJoin, checkSource } from '../../../src/testing/index.ts'
import { codexSource } from '../../../src/wires/codex/source.ts'
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
