import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { allPrograms } from '../../../src/programs/all.ts'
import { storageOf } from '../../../src/programs/storages.ts'
import { NOT_RECORDED, RECORDED_PROGRAMS } from '../../../tools/record/programs/all.ts'
import type { ScriptedCall } from '../../../tools/record/script.ts'

it('records every program that stores sessions, but for those that have a reason', () => {
  const recorded = new Set(RECORDED_PROGRAMS.map(({ name }) => name))
  const stored = allPrograms().flatMap(({ names: [name] }) => (storageOf(name) ? [name] : []))
  expect(stored.filter((name) => !recorded.has(name))).toEqual(Object.keys(NOT_RECORDED))
})

it('knows the format of each program that it records', () => {
  const versions = JSON.parse(
    readFileSync(join(import.meta.dirname, '../../../fixtures/versions.json'), 'utf8'),
  )
  expect(Object.keys(versions).sort()).toEqual(RECORDED_PROGRAMS.map(({ name }) => name).sort())
})

it('calls a tool by the name that an early version offers', () => {
  const agent = { does: 'agent', agent: 'A', description: 'Look', prompt: 'Look closely.' } as const
  const nameIn = (program: string, does: ScriptedCall, ...tools: readonly string[]) =>
    RECORDED_PROGRAMS.find(({ name }) => name === program)?.tools.call(does, { work: '/srv/demo', tools })
      .name
  const command = { does: 'command', command: 'ls', contains: '' } as const
  expect(nameIn('claude-code', agent, 'Agent')).toBe('Agent')
  expect(nameIn('claude-code', agent, 'Task')).toBe('Task')
  expect(nameIn('gemini', agent, 'generalist')).toBe('generalist')
  expect(nameIn('qwen', agent, 'task')).toBe('task')
  expect(nameIn('codex', command, 'shell')).toBe('shell')
  expect(nameIn('codex', command, 'shell_command')).toBe('shell_command')
  expect(nameIn('codex', command)).toBe('exec_command')
})
