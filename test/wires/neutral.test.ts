import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { allFormats } from '../../src/wires/all.ts'

const SRC = join(import.meta.dirname, '../../src')

/** The parts that know programs, and the entry points of the protocols. */
const OWNERS = /^(?:(?:wires|programs|sinks|session)\/|(?:acp|ag-ui)\.ts)/

const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter(
  (name) => name.endsWith('.ts') && !OWNERS.test(name),
)

// A part that compares a program's name must change for each new format. `all.ts` is the only list.
it('names no program outside the formats', () => {
  const names = allFormats().flatMap(({ program: { name, programs } }) => [name, ...programs])
  const words = new RegExp(names.flatMap((name) => [name, wordOf(name)]).join('|'), 'i')
  expect(filesWith(words)).toEqual([])
})

// A part that reads a program's fields or compares its tools must change for each new format. `program.ts` of a format names them.
it('names no tool that starts an agent, and no field of its call, outside the formats', () => {
  const words = allFormats().flatMap(({ program: { agentTools, agentCallFields } }) => [
    ...agentTools.map((tool) => `['"\`]${tool}['"\`]`),
    // The words of a prompt's field are too common to tell anything.
    ...[agentCallFields.name, agentCallFields.resumes].map(
      (field) => `(?<![\\w-])${field}(?=[,:)\\]} ]*[,:)\\]}'"\`])`,
    ),
  ])
  expect(filesWith(new RegExp(words.join('|')))).toEqual([])
})

it('assigns each program to one format', () => {
  const programs = allFormats().flatMap((format) => format.program.programs)
  expect(new Set(programs).size).toBe(programs.length)
})

/** Returns the first word of a name, which names the program, or the whole name if that word is too short to tell. */
function wordOf(name: string): string {
  const [word = name] = name.split('-')
  return word.length > 2 ? word : name
}

function filesWith(words: RegExp): readonly string[] {
  return files.filter((name) => words.test(readFileSync(join(SRC, name), 'utf8')))
}
