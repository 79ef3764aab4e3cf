import { describe, expect, it } from 'vitest'
import type { SessionConversationState } from '../../../src/core/state/session.ts'
import type { Todo } from '../../../src/core/state/todo.ts'
import { todosFor } from '../../../src/programs/shared-tools.ts'
import { targetOf, writablePrograms } from '../../../src/sinks/writers/targets/all.ts'
import { writeSession } from '../../../src/sinks/writers/write-session.ts'
import { depth } from '../../depth.ts'
import { inputs, stateOf } from '../../wires/inputs.ts'
import { countsOf, lostFacts, missingIn } from './losses.ts'
import { readBack } from './read-back.ts'
import { toldBy } from './told.ts'

const allSessions = inputs
  .filter(({ name }) => !name.includes(', late '))
  .map((input) => ({ name: input.name, state: stateOf(input) }))

const CWD = '/srv/demo'

interface Result {
  readonly written: ReturnType<typeof writeSession>
  readonly back: SessionConversationState
}

/** Each recording is written for some of the programs. */
const MOST_PROGRAMS = depth({ few: 1, all: 2 })

describe.each(writablePrograms().map((program, at) => [program, at] as const))(
  'a session for %s',
  (program, at) => {
    const { length } = writablePrograms()
    const sessions = allSessions.filter((_, index) => (index + at) % length < MOST_PROGRAMS)
    const write = (state: SessionConversationState) => writeSession(state, { program, cwd: CWD })
    const results = new Map<SessionConversationState, Result>()

    /** Writes a session and reads it back, once for all laws. */
    function resultOf(state: SessionConversationState): Result {
      const known = results.get(state)
      if (known) return known
      const written = write(state)
      const result = { written, back: readBack(program, written) }
      results.set(state, result)
      return result
    }

    it('says all that every recording says', () => {
      for (const { name, state } of sessions) {
        const options = {
          asCodex: program === 'codex',
          joinsTexts: program === 'copilot',
          separatesAnswers: program === 'qwen',
          keepsAgents: targetOf(program).keepsAgents,
          holds: (todo: Todo) => todosFor(program, [todo]).length > 0,
        }
        const { back } = resultOf(state)
        const source = state.session.program
        expect(toldBy(back, { ...options, programs: [program, source] }), name).toEqual(
          toldBy(state, { ...options, programs: [source, program] }),
        )
      }
    })

    it('lacks what its losses list, in every recording', () => {
      for (const { name, state } of sessions) {
        const { written, back } = resultOf(state)
        const losses = countsOf(written.losses)
        for (const [kind, count] of Object.entries(missingIn(back, state, program)))
          expect({ name, kind, count: countsOf(written.losses)[kind as keyof typeof losses] ?? 0 }).toEqual({
            name,
            kind,
            count,
          })
      }
    })

    it('counts each result that is no error any more, or has no diff', () => {
      for (const { name, state } of sessions) {
        const { written, back } = resultOf(state)
        const { 'failure-mark': marks = 0, 'file-changes': changes = 0 } = countsOf(written.losses)
        const lost = lostFacts(back, state, program)
        expect({ name, marks: lost.marks }).toEqual({ name, marks })
        // The reader finds some diffs in the calls themselves.
        expect(lost.changes, name).toBeLessThanOrEqual(changes)
      }
    })

    it('has the same bytes when it is written again', () => {
      for (const { name, state } of sessions)
        expect(JSON.stringify(write(structuredClone(state))), name).toBe(
          JSON.stringify(resultOf(state).written),
        )
    })
  },
)
