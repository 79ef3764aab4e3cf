import { expect, it } from 'vitest'
import { createInitialConversationState } from '../../../src/core/state/session.ts'
import { reduceSessionEvents, type SessionEvent } from '../../../src/entries/index.ts'
import { writeSession } from '../../../src/sinks/writers/write-session.ts'

it('names a session and its agent after the first line with words', () => {
  const state = reduceSessionEvents(createInitialConversationState(), [
    { type: 'session:updated', facts: { id: 's', program: 'opencode', cwd: '/srv/demo' } },
    {
      type: 'block:upsert',
      block: {
        type: 'user_message',
        id: 'p',
        status: 'complete',
        content: '\nCount the lines.\nAll of them.',
      },
    },
    { type: 'subagent:spawned', toolUseId: 'c', prompt: '\n\nCount one file.\nNo other.' },
    { type: 'subagent:completed', toolUseId: 'c', status: 'completed', output: '3' },
  ])
  const { files } = writeSession(state, { program: 'opencode', cwd: '/srv/demo' })
  const titles = Object.values(files).map((text) => JSON.parse(text).info.title)
  expect(titles.sort()).toEqual(['Count one file. (@general-purpose subagent)', 'Count the lines.'])
})

// The commands of an agent of one's own became the tool `Bash_call`, which the other program does not have.
const plan = { todos: [{ content: 'Look', status: 'pending', activeForm: 'Look' }] }
const edit = { file_path: 'a', old_string: 'x', new_string: 'y' }
it.each<
  [
    program: 'claude-code' | 'gemini' | 'pi',
    from: string,
    tool: string,
    input: object,
    written: string,
    args: object,
  ]
>([
  ['claude-code', 'none', 'Bash', { command: 'ls' }, 'Bash', { command: 'ls' }],
  ['claude-code', 'none', 'bash', { command: 'ls', timeout: 5 }, 'Bash', { timeout: 5, command: 'ls' }],
  ['claude-code', 'none', 'Read', { path: 'a' }, 'Read', { file_path: 'a' }],
  ['claude-code', 'none', 'edit', { path: 'a', edits: [{ oldText: 'x', newText: 'y' }] }, 'Edit', edit],
  ['claude-code', 'none', 'TodoWrite', plan, 'TodoWrite', plan],
  ['gemini', 'none', 'Bash', { command: 'ls' }, 'run_shell_command', { command: 'ls' }],
  // Another tool of the same name, in any program.
  ['claude-code', 'none', 'Bash', { cmd: 'ls' }, 'Bash_call', { cmd: 'ls' }],
  ['claude-code', 'none', 'Edit', { path: 'a' }, 'Edit_call', { path: 'a' }],
  ['claude-code', 'none', 'TodoWrite', { todos: 'Look' }, 'TodoWrite_call', { todos: 'Look' }],
  ['claude-code', 'none', 'Task', { prompt: 'x' }, 'Task_call', { prompt: 'x' }],
  ['claude-code', 'codex', 'Bash', { cmd: 'ls' }, 'Bash_call', { cmd: 'ls' }],
  ['claude-code', 'codex', 'Bash', { command: 'ls' }, 'Bash', { command: 'ls' }],
  ['gemini', 'claude-code', 'glob', { files: '*' }, 'glob_call', { files: '*' }],
  // A program can read what it wrote itself.
  ['claude-code', 'claude-code', 'Edit', { path: 'a' }, 'Edit', { path: 'a' }],
  ['claude-code', 'none', 'deploy', { to: 'x' }, 'deploy', { to: 'x' }],
])('writes for %s a call of %s: %s %j', (program, from, toolName, input, written, args) => {
  const call = { id: 'c', type: 'tool_use', status: 'complete', toolUseId: 'c', toolName } as const
  const events: SessionEvent[] = [
    { type: 'session:updated', facts: { id: 's', cwd: '/srv', ...(from !== 'none' && { program: from }) } },
    { type: 'block:upsert', block: { id: 'p', type: 'user_message', status: 'complete', content: 'Hi' } },
    { type: 'block:upsert', block: { ...call, input: { ...input } } },
    {
      type: 'block:upsert',
      block: {
        id: 'r',
        type: 'tool_result',
        status: 'complete',
        toolUseId: 'c',
        output: 'ok',
        isError: false,
      },
    },
  ]
  const { files, losses } = writeSession(reduceSessionEvents(createInitialConversationState(), events), {
    program,
  })
  const text = Object.values(files).join('')
  expect(text).toContain(`"name":"${written}"`)
  expect(text.replaceAll(' ', '')).toContain(JSON.stringify(args).slice(1, -1))
  expect(losses).toEqual([])
})
