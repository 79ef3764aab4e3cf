import { expect, it } from 'vitest'
import { createInitialConversationState } from '../../../src/entries/index.ts'
import { writeSession } from '../../../src/sinks/writers/write-session.ts'

const folderIn = (program: string, cwd: string) =>
  Object.keys(writeSession(createInitialConversationState(), { program, cwd }).files)[0]?.split('/')[0]

// The names are those that each program gives to the folder.
it.each([
  ['claude-code', '/srv/demo.app', '-srv-demo-app'],
  ['qwen', '/srv/demo.app', '-srv-demo-app'],
  ['gemini', '/srv/Demo  App!', 'demo-app'],
  ['gemini', '/', 'project'],
  ['kimi', '/srv/demo', 'wd_demo_926574b4279e'],
  ['kimi', '/srv/demo/', 'wd_demo_926574b4279e'],
  ['kimi', '/srv/..', 'wd_workspace_670139b457c9'],
])('names the folder of %s for %s', (program, cwd, name) => {
  expect(folderIn(program, cwd)).toBe(name)
})

it('ends a long name for Claude Code with the hash of the path', () => {
  const cwd = `/srv/${Array.from({ length: 12 }, (_, at) => `folder-number-${at}-é`).join('/')}`
  const name = folderIn('claude-code', cwd) ?? ''
  expect(name.slice(0, 200)).toBe(cwd.replace(/[^a-zA-Z0-9]/g, '-').slice(0, 200))
  expect(name.slice(200)).toBe('-skmt2e')
})
