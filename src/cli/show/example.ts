import type { SessionEvent } from '../../core/events/event.ts'
import { foldSessionEvents } from '../../core/reducer/reduce.ts'
import { createInitialConversationState } from '../../core/state/session.ts'
import { allPrograms } from '../../programs/all.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { sessionLines, viewOptions } from './print-session.ts'

/** The tools of the example are those of the first program. */
const [PROGRAM = ''] = allPrograms()[0]?.names ?? []

const main = { conversationId: 'main', status: 'complete' } as const

/** A session that never was. It has a prompt, a tool, an agent and an answer. */
const EVENTS: readonly SessionEvent[] = [
  { type: 'session:updated', facts: { program: PROGRAM, model: 'example', cwd: '/srv/tea' } },
  { type: 'session:running' },
  {
    type: 'block:upsert',
    block: { ...main, type: 'user_message', id: 'example-1', content: 'Why does the kettle test fail?' },
  },
  {
    type: 'block:upsert',
    block: {
      ...main,
      ...{ type: 'tool_use', id: 'example-2', toolUseId: 'example-2' },
      ...{ toolName: 'Bash', input: { command: 'npm test -- kettle' } },
    },
  },
  {
    type: 'block:upsert',
    block: {
      ...main,
      ...{ type: 'tool_result', id: 'example-2:result', toolUseId: 'example-2', isError: false },
      output: 'expected 100, received 99',
    },
  },
  {
    type: 'subagent:spawned',
    toolUseId: 'example-3',
    prompt: 'Find where the water boils.',
    subagentType: 'explore',
  },
  {
    type: 'subagent:completed',
    toolUseId: 'example-3',
    status: 'completed',
    output: 'src/kettle.ts, line 12',
  },
  {
    type: 'block:upsert',
    block: {
      ...main,
      ...{ type: 'assistant_text', id: 'example-4' },
      content: 'The kettle stops one degree early: `src/kettle.ts` compares with `<` in place of `<=`.',
    },
  },
  { type: 'session:idle', outcome: 'finished' },
]

/** Shows what a session looks like, on a machine that has none. */
export function showExample(terminal: Terminal): number {
  const { state } = foldSessionEvents(createInitialConversationState(), EVENTS)
  terminal.write('An example, because this machine has no session yet:\n\n')
  for (const line of sessionLines({ state, issues: [] }, viewOptions({}, terminal)))
    terminal.write(`${line}\n`)
  return 0
}
