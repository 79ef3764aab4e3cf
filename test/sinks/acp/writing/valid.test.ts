import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { sessionLog } from '../../../../src/entries/arbitraries.ts'
import {
  createInitialConversationState,
  reduceSessionEvents,
  type SessionConversationState,
} from '../../../../src/entries/index.ts'
import { toSessionUpdates } from '../../../../src/sinks/acp/to-session-updates.ts'
import { unrulyEvents } from '../../../unruly-events.ts'
import { schemaErrors } from './schema.ts'
import { recordedStates } from './states.ts'

const FORMS = [
  { form: 'agents in the main session', clientCapabilities: {}, isStable: true },
  { form: 'child sessions', clientCapabilities: { subagents: {} }, isStable: false },
]

const OPTIONS = { sessionId: 'session', title: 'Title', contextWindow: 200_000 }

function errorsOf(
  state: SessionConversationState,
  { clientCapabilities, isStable }: (typeof FORMS)[number],
): readonly unknown[] {
  return toSessionUpdates(state, { ...OPTIONS, clientCapabilities }).flatMap((notification) => {
    const errors = schemaErrors(notification, { isStable })
    return errors.length === 0 ? [] : [{ notification, errors }]
  })
}

describe.each(FORMS)('a replay with $form', (form) => {
  it('is valid by the schema of the SDK, for every recording', () => {
    const invalid = recordedStates.flatMap(({ name, state }) =>
      errorsOf(state, form).map((error) => ({ name, error })),
    )
    expect(invalid).toEqual([])
  })

  it('is valid by the schema of the SDK, for any state', () => {
    const anyState = fc
      .oneof(sessionLog(), unrulyEvents())
      .map((events) => reduceSessionEvents(createInitialConversationState(), events))
    fc.assert(
      fc.property(anyState, (state) => {
        expect(errorsOf(state, form)).toEqual([])
      }),
    )
  })
})
