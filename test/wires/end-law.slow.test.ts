import { isDeepStrictEqual } from 'node:util'
import { describe, expect, it } from 'vitest'
import {
  loadSession,
  pendingRequests,
  type SessionConversationState,
  saveSession,
} from '../../src/entries/index.ts'
import type { Session } from '../../src/reading/source.ts'
import { inputs, type RecordedInput } from './inputs.ts'
import { contentOf, cutsOf, hasAllInState } from './join-law.ts'

/** The recordings from their beginning. */
const recordings = inputs.filter(({ name }) => !/, late |40-all-line-types/.test(name))

/**
 * Between an answer and the report of its turn's end, a state does not say whether the model would go on. So `end` says `finished` or `interrupted` by
 * the last block (docs/reopening.md, "facts about what has no block yet").
 */
const UNREPORTED_END: readonly RegExp[] = [
  /^claude-sdk, (0[23]-\w+, files|08g|10-compact|11d|05b-three-parallel-default|01-background-transcript|1[12]-structured|16-sdk-array|35-types)/,
  /^opencode, (09-multi-turn|10-compact|15-revert-fork|\d+-opencode-bus|01-idle-session-updated)/,
  /^pi, 15b-tree/,
  /^kimi, /,
  /^gemini, /,
  /^acp, (01-claude-plain|05-claude-permission|06c-subagent-acp|3[06]-codex-\w+), load/,
  // The same holds for an agent whose own file ends with an answer.
  /^qwen, (06-subagent|06c-subagent-acp|09-background), store/,
  /^cline, .*, store/,
]

/** A state of Kimi does not say whether it is live. A live one that waits goes on waiting, as a file does. A hub withdraws its requests. */
const isOfUnknownForm = ({ name }: RecordedInput) => name.startsWith('kimi, 11c-permission-web, events')

// A server restarts, and the program has died while it waited: the page kept a button that nobody could answer.
describe.each(recordings)('$name', (input) => {
  it('ends a state as a saved session, wherever the program has died', () => {
    const { source, messages } = input
    let session = source.open()
    const cuts = new Set(cutsOf(input, 4))
    for (const [at, message] of messages.entries()) {
      session = source.read(session, [message]).session
      if (!cuts.has(at + 1) && pendingRequests(session.state).length === 0) continue
      if (hasAllInState(input, session, at + 1)) expectSameEnd(input, session, `cut ${at + 1}`)
    }
  })
})

function expectSameEnd(input: RecordedInput, session: Session, name: string): void {
  const { source } = input
  const saved = source.end(loadSession(source, JSON.parse(JSON.stringify(saveSession(session)))))
  const opened = source.end(source.open(session.state))
  if (!isOfUnknownForm(input))
    expect(waiting(opened.session.state), name).toEqual(waiting(saved.session.state))
  if (UNREPORTED_END.some((pattern) => pattern.test(input.name))) return
  expect(opened.ending, name).toBe(saved.ending)
  const [left, right] = [opened, saved].map(({ session: { state } }) => contentOf(state))
  if (!isDeepStrictEqual(left, right)) expect(left, name).toEqual(right)
}

function waiting(state: SessionConversationState): readonly string[] {
  return pendingRequests(state).map(({ block }) => block.id)
}
