import { readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { readSession } from '../../src/entries/node.ts'
import { nodeFor } from '../record/install.ts'
import { isAlone, runAlone } from '../record/network.ts'
import type { RequestCheck } from './check-request.ts'
import { RESUMING_PROGRAMS, type ResumingProgram } from './programs.ts'
import { installed, type Pair, resume } from './resume.ts'
import { SOURCES } from './sources.ts'
import { type Row, rowLine, rowsOf, withRows, withTables } from './table.ts'

const scratch = process.env.AGENTFOLD_RECORD ?? join(tmpdir(), 'agentfold-record')
const PAGE = 'docs/handoff-results.md'
const RESULTS = 'tools/handoff/results.tsv'

// An argument names a program that goes on, or begins the names of sessions.
const only = process.argv.slice(2)
const named = RESUMING_PROGRAMS.filter(({ name }) => only.includes(name))
const programs = named.length > 0 ? named : RESUMING_PROGRAMS
const beginnings = only.filter((word) => !named.some(({ name }) => name === word))
const sources = SOURCES.filter(
  ({ name }) => beginnings.length === 0 || beginnings.some((beginning) => name.startsWith(beginning)),
)

for (const program of programs) {
  installed(program, scratch)
  nodeFor(program, scratch)
}
if (!isAlone() && runAlone(only)) process.exit()

for (const { name, path } of sources) {
  const { state } = await readSession(join('fixtures', path))
  const rows = await Promise.all(
    programs.map(async (program) => rowOf(name, program, await resume(program, state, scratch))),
  )
  for (const row of rows) process.stdout.write(`${rowLine(row)}\n`)
  const order = {
    sessions: SOURCES.map((each) => each.name),
    programs: RESUMING_PROGRAMS.map((each) => each.name),
  }
  const all = withRows(rowsOf(readFileSync(RESULTS, 'utf8')), rows, order)
  writeFileSync(RESULTS, `${all.map(rowLine).join('\n')}\n`)
  writeFileSync(PAGE, withTables(readFileSync(PAGE, 'utf8'), all))
}

function rowOf(
  session: string,
  { name: program }: ResumingProgram,
  { check, agents, refusal, losses }: Pair,
): Row {
  const shares = check ? Object.values(check).map(shareText) : ['–', '–', '–', '–']
  return { session, program, cells: [...shares, agentText(agents), refusal ?? losses] }
}

type Share = RequestCheck['prompts']

function shareText({ found, all }: Share): string {
  return `${found}/${all}`
}

/** Returns the sum of all agents, and the number of those that did not go on. */
function agentText(agents: Pair['agents'] = []): string {
  if (agents.length === 0) return '–'
  const shares = agents.flatMap((check) => (check ? Object.values(check) : []))
  const sum = (of: (share: Share) => number) => shares.reduce((total, share) => total + of(share), 0)
  const missing = agents.filter((check) => !check).length
  const text = shareText({ found: sum(({ found }) => found), all: sum(({ all }) => all) })
  return missing === 0 ? text : `${text}, ${missing} of ${agents.length} did not go on`
}
