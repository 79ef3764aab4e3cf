import { describe, expect, it } from 'vitest'
import type { SessionConversationState } from '../../../src/core/state/session.ts'
import type { Todo } from '../../../src/core/state/todo.ts'
import { todosFor } from '../../../src/programs/shared-tools.ts'
import { targetOf, writablePrograms } from '../../../src/sinks/writers/targets/all.ts'
import { stateAt, writeSession } from '../../../src/sinks/writers/write-session.ts'
import { depth, sampleOf } from '../../depth.ts'
import { inputs, stateOf } from '../../wires/inputs.ts'
import { readBack } from './read-back.ts'
import { toldBy } from './told.ts'

/** Sessions with agents, nested ones and groups, compactions, branches, and calls that ran at once. */
const NAMES = [
  'claude-sdk, 10-compact, files',
  'codex, 11-nested-v1, exec, files',
  'opencode, 05-two-parallel, exports',
  'pi, 15b-tree, store of Pi',
  'gemini, 15c-rewind, tui-store of Gemini',
  'kimi, 23-swarm, store of Kimi',
  'copilot, 08-nested, store',
]

const sessions = inputs
  .filter(({ name }) => NAMES.includes(name))
  .map((input) => ({ name: input.name, state: stateOf(input) }))

function blockIds({ blocks, subagents }: SessionConversationState): readonly string[] {
  return [...blocks, ...subagents.flatMap((agent) => agent.blocks)].map(({ id }) => id)
}

/** An agent that still ran has another status in each program. */
function withoutStatuses(told: unknown): unknown {
  return JSON.parse(JSON.stringify(told, (key, value: unknown) => (key === 'status' ? undefined : value)))
}

it('has a session for each name', () => {
  expect(sessions.map(({ name }) => name).toSorted()).toEqual(NAMES.toSorted())
})

describe.each(writablePrograms())('a session for %s, cut behind each of its blocks', (program) => {
  it.each(sessions)('says what $name had said', ({ state }) => {
    const { keepsAgents } = targetOf(program)
    const options = {
      ...{ keepsAgents, asCodex: program === 'codex', joinsTexts: program === 'copilot' },
      separatesAnswers: program === 'qwen',
      holds: (todo: Todo) => todosFor(program, [todo]).length > 0,
    }
    const source = state.session.program
    for (const id of sampleOf(blockIds(state), depth({ few: 5, all: Number.POSITIVE_INFINITY }))) {
      const cut = stateAt(state, id)
      if (!cut) throw new Error(`no cut behind ${id}`)
      const back = readBack(program, writeSession(cut, { program, cwd: '/srv/demo' }))
      expect(withoutStatuses(toldBy(back, { ...options, programs: [program, source] })), id).toEqual(
        withoutStatuses(toldBy(cut, { ...options, programs: [source, program] })),
      )
    }
  })
})
