import { describe, expect, it } from 'vitest'
import type { ConversationBlock } from '../../../src/core/state/block.ts'
import type { SessionConversationState } from '../../../src/core/state/session.ts'
import type { Todo } from '../../../src/core/state/todo.ts'
import { todosFor } from '../../../src/programs/shared-tools.ts'
import type { PlanTarget } from '../../../src/sinks/plan/context.ts'
import { targetOf, writablePrograms } from '../../../src/sinks/writers/targets/all.ts'
import { writeSession } from '../../../src/sinks/writers/write-session.ts'
import { isThorough } from '../../depth.ts'
import { inputs, stateOf } from '../../wires/inputs.ts'
import { readBack } from './read-back.ts'
import { toldBy } from './told.ts'

/** A session of each program, with tools and agents. */
const NAMES = [
  'claude-sdk, 10-compact, files',
  'codex, 11-nested-v1, exec, files',
  'opencode, 05-two-parallel, exports',
  'pi, 15b-tree, store of Pi',
  'gemini, 15c-rewind, tui-store of Gemini',
  'kimi, 23-swarm, store of Kimi',
  'copilot, 08-nested, store',
  'qwen, 06-subagent, store of Qwen',
]
const sessions = inputs
  .filter(({ name }) => NAMES.includes(name))
  .map((input) => ({ name: input.name, state: stateOf(input) }))

/** The tool for commands of each program. */
const COMMAND_TOOLS: Readonly<Record<string, string>> = {
  codex: 'command_execution',
  opencode: 'bash',
  pi: 'bash',
  copilot: 'bash',
  gemini: 'run_shell_command',
  qwen: 'run_shell_command',
}

/** A turn of the second program: a prompt, a command with its result, and an answer. */
function withTurn(state: SessionConversationState, program: string): SessionConversationState {
  const base = { conversationId: 'main', status: 'complete', timestamp: '2027-01-01T00:00:00.000Z' } as const
  const toolName = COMMAND_TOOLS[program] ?? 'Bash'
  const turn: readonly ConversationBlock[] = [
    { ...base, type: 'user_message', id: 'turn:prompt', content: 'And the barley?' },
    {
      ...base,
      type: 'tool_use',
      id: 'turn:call',
      toolUseId: 'turn:call',
      toolName,
      input: { command: 'wc -l barley' },
    },
    {
      ...base,
      type: 'tool_result',
      id: 'turn:result',
      toolUseId: 'turn:call',
      output: '7 barley',
      isError: false,
    },
    { ...base, type: 'assistant_text', id: 'turn:text', messageId: 'turn:message', content: 'Seven sacks.' },
  ]
  return { ...state, blocks: [...state.blocks, ...turn] }
}

/** What the path of a session lets both programs say. */
function optionsOf(path: readonly string[]) {
  const keeps = path.map((program) => targetOf(program).keepsAgents)
  const keepsAgents: PlanTarget['keepsAgents'] =
    keeps.find((each) => each === 'none') ?? keeps.find((each) => each === 'of main') ?? 'all'
  return {
    keepsAgents,
    asCodex: path.includes('codex'),
    joinsTexts: path.includes('copilot'),
    separatesAnswers: path.includes('qwen'),
    holds: (todo: Todo) => path.every((program) => todosFor(program, [todo]).length > 0),
  }
}

it('has a session for each name', () => {
  expect(sessions.map(({ name }) => name).toSorted()).toEqual(NAMES.toSorted())
})

const pairs = sessions.flatMap(({ name, state }, at) =>
  writablePrograms()
    // A few pairs, and each of them in the long run.
    .filter((_, index) => isThorough || (index + at) % 4 === 0)
    .map((other) => ({ name, state, other })),
)

describe('a session that goes to another program and comes back', () => {
  it.each(pairs)('says all that both have said, once: $name, $other', ({ state, other }) => {
    const own = state.session.program ?? ''
    const path = [other, own]
    const options = optionsOf(path)
    const write = (each: SessionConversationState, program: string) =>
      readBack(program, writeSession(each, { program, cwd: '/srv/demo' }))
    const there = withTurn(write(state, other), other)
    const back = write(there, own)
    const told = (each: SessionConversationState, programs: readonly string[]) =>
      toldBy(each, { ...options, programs: [...programs] })
    expect(told(back, path.toReversed())).toEqual(told(there, path))
    expect(told(back, [own, other]).entries.slice(0, -3).length).toBe(
      told(state, [own, other]).entries.length,
    )
  })
})

/** Returns the new lines of the diffs. */
function newLines({ blocks }: SessionConversationState): readonly string[] {
  const changes = blocks.flatMap((block) => (block.type === 'tool_result' ? (block.changes ?? []) : []))
  const lines = changes.flatMap(({ hunks = [] }) => hunks.flatMap((hunk) => hunk.lines))
  return lines.flatMap((line) => (/^\+./.test(line) ? [JSON.stringify(line.slice(1)).slice(1, -1)] : []))
}

/** Returns what the calls and their diffs say. */
function callsText({ blocks }: SessionConversationState): string {
  return JSON.stringify(blocks.map((block) => [Reflect.get(block, 'input'), Reflect.get(block, 'changes')]))
}

// A patch of Codex is in the input of its calls nowhere else, and the others' edits are patches in Codex.
const PATCHED = 'codex, 04-apply-patch, app-server, files'
const EDITED = [
  'claude-sdk, 03-tools, files',
  'gemini, 04-edits, store of Gemini',
  'opencode, 03-tools, exports',
]
const edits = inputs.flatMap((input) => {
  const others = input.name === PATCHED ? writablePrograms() : EDITED.includes(input.name) ? ['codex'] : []
  return others.map((other) => ({ input, name: input.name, other }))
})

it.each(edits)('has the lines of edits in the other program and back: $name, $other', ({ input, other }) => {
  const state = stateOf(input)
  const write = (each: SessionConversationState, program = '') =>
    writeSession(each, { program, cwd: '/srv/demo' })
  const lines = newLines(state)
  const there = readBack(other, write(state, other))
  const back = Object.values(write(there, state.session.program).files).join('')
  expect(lines.length).toBeGreaterThan(1)
  expect(lines.filter((line) => !callsText(there).includes(line) || !back.includes(line))).toEqual([])
})
