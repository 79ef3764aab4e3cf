import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createInitialConversationState, stepSessionEvent } from '../../../../src/entries/index.ts'
import { runs } from '../../../depth.ts'
import { aliasLog, formerLog, ledgerLog, log } from './logs.ts'
import { oracleStep } from './oracle.ts'

describe.each([
  ['in any log', log],
  ['when two ids turn out to be one agent', aliasLog],
  ['when an agent had another id before', formerLog],
  ['when results state the tokens of messages', ledgerLog],
])('%s', (_, logs) => {
  it('follows the rules, event for event', () => {
    fc.assert(
      fc.property(logs, (events) => {
        let state = createInitialConversationState()
        for (const event of events) {
          const step = stepSessionEvent(state, event)
          const oracle = oracleStep(state, event)
          expect(step.issue?.code).toBe(oracle.code)
          expect(step.state).toEqual(oracle.state)
          state = step.state
        }
      }),
      { numRuns: runs(500) },
    )
  })
})
