import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { isString } from '../../src/core/json/values.ts'
import { allPrograms } from '../../src/programs/all.ts'
import { allFormats } from '../../src/wires/all.ts'

const SRC = join(import.meta.dirname, '../../src')

/** The parts that know programs, the page, which shows their signs, and the redaction, which knows words of the world. */
const OWNERS = /^(?:wires|programs|sinks|redaction|entries|page)\//

const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter(
  (name) => name.endsWith('.ts') && !OWNERS.test(name),
)

// A part that compares a program's name must change for each new program. `programs/all.ts` is the only list.
it('names no program outside the programs and the wires', () => {
  const names = [...allFormats().map(({ name }) => name), ...allPrograms().flatMap(({ names }) => names)]
  const words = new RegExp(names.map(wordOf).join('|'), 'i')
  expect(filesWith(words)).toEqual([])
})

/** Names of tools and fields that are words of the state or of the index, too. */
const COMMON: ReadonlySet<string> = new Set(['subagent', 'agent', 'target'])

// A part that reads a program's fields or compares its tools must change for each new program. The files of `programs/` name them.
it('names no tool that starts an agent, and no field of its call, outside the programs and the wires', () => {
  const words = allPrograms().flatMap(({ tools, fields }) => [
    ...tools.agent.filter((tool) => !COMMON.has(tool)).map((tool) => `['"\`]${tool}['"\`]`),
    // The words of a prompt's field are too common to tell anything.
    ...[fields.agentType, fields.resumes]
      .filter((field) => isString(field) && !COMMON.has(field))
      .map((field) => `(?<![\\w-])${field}(?=[,:)\\]} ]*[,:)\\]}'"\`])`),
  ])
  // A source has a function of that name, and a page an event.
  const resume = ['reading/define-source.ts', 'client/connect/message-stream.ts']
  expect(filesWith(new RegExp(words.join('|'))).filter((name) => !resume.includes(name))).toEqual([])
})

it('gives each name to one program', () => {
  const names = allPrograms().flatMap((program) => program.names)
  expect(new Set(names).size).toBe(names.length)
})

/** A name that is a word of the language is one only where a value is compared with it, or has it. */
const KEYWORDS: ReadonlySet<string> = new Set(['continue'])

/** Returns the first word of a name, which names the program, or the whole name if that word is too short to tell. A short name is a part of other words. */
function wordOf(name: string): string {
  const [word = name] = name.split('-')
  if (KEYWORDS.has(word)) return `(?:[=!]==|case|program:|wire:|architecture:) ['"\`]${word}`
  const own = word.length > 2 ? word : name
  return own.length > 3 ? own : `(?<![a-z])${own}(?![a-z])`
}

function filesWith(words: RegExp): readonly string[] {
  // "Decline" names no program.
  return files.filter((name) => words.test(readFileSync(join(SRC, name), 'utf8').replace(/declin/g, '')))
}
