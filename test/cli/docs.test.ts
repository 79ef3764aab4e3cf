import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { architectures } from '../../src/wires/names.ts'
import { pageAt } from '../docs/pages.ts'
import { agentfold } from './terminal.ts'

const page = pageAt('docs/cli.md')

it('has an example whose output is true', async () => {
  const [, path = '', shown = ''] = /agentfold show (fixtures\S+)\n```\n\n```text\n(.*?)```/s.exec(page) ?? []
  const { out } = await agentfold(['show', join(import.meta.dirname, '../..', path)])
  expect(shown.length).toBeGreaterThan(100)
  expect(out.startsWith(shown)).toBe(true)
})

it('names every command and every option', async () => {
  const { out } = await agentfold(['--help'])
  const commands = [...out.matchAll(/^ {2}([a-z]+) .*(?:\[options\])/gm)].map(([, name = '']) => name)
  expect(commands.length).toBeGreaterThan(5)
  for (const name of commands) {
    expect(page).toContain(`agentfold ${name}`)
    expect(page).toContain(`## ${name}`)
    const { out: help } = await agentfold([name, '--help'])
    for (const [, option = ''] of help.matchAll(/^ {2}(?:-h, )?(--[a-z-]+)/gm)) expect(page).toContain(option)
  }
})

// `ag-ui` was missing.
it('names every format for --format', () => {
  expect(page).toContain(
    '`--format` overrides that: its value is a name in the table of [Formats](formats.md)',
  )
  const names = [...pageAt('docs/formats.md').matchAll(/^\| `([\w-]+)` \|/gm)].map(([, name]) => name)
  const known = architectures().split(' or ')
  expect(
    known.filter((name) => !names.includes(name)),
    'add rows to docs/formats.md',
  ).toEqual([])
  expect(names.length).toBe(known.length)
})

it('has a line about the command line in the first steps', () => {
  expect(readFileSync(join(import.meta.dirname, '../../docs/getting-started.md'), 'utf8')).toContain(
    'npx agentfold ',
  )
})
