import { list, type Raw, raw, text } from '../status/oracle.ts'
import type { Meaning } from '../status/steps-oracle.ts'
import type { StepProgram } from '../steps/programs.ts'

export const program: StepProgram = {
  name: 'Continue',
  beginning: [],
  // A session is one value.
  line: (id, json) =>
    `{"sessionId":"s","title":"t","workspaceDirectory":"/","history":[{"message":{"role":"assistant","id":"${id}","content":${json}},"contextItems":[]}]}`,
  silent: '{"sessionId":"s","title":"t","workspaceDirectory":"/","history":[]}',
  meaning: () => continueMeaning,
  stored: {
    from: 'continue/02-edit/store/.continue',
    to: '.continue',
    session: '.continue/sessions/9a883eef-411c-4591-8fe9-ee5e33548752.json',
    words: 'Both files are changed.',
    prompt: 'Change some files.',
  },
}

/** The whole session is one message, and its last item decides. */
function continueMeaning({ history, response, status }: Raw): Meaning {
  if (text(response) !== '') return 'answer'
  if (history === undefined) return status === 'error' ? 'failure' : undefined
  const last = list(history).at(-1)
  const { role } = raw(last?.message)
  if (role !== 'assistant') return role === undefined ? undefined : 'work'
  const states = list(last?.toolCallStates).map((state) => text(state.status))
  if (states.length === 0) return 'answer'
  const isStopped =
    states.includes('canceled') && states.every((state) => /^(?:done|errored|canceled)$/.test(state))
  return isStopped ? 'canceled' : 'work'
}
