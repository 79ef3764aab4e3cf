import { readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import type { SessionConversationState } from '../../src/core/state/session.ts'
import { readSession } from '../../src/entries/node.ts'
import { nodeFor } from '../record/install.ts'
import { isAlone, runAlone } from '../record/network.ts'
import type { RequestCheck } from './check-request.ts'
import { RESUMING_PROGRAMS, type ResumingProgram } from './programs.ts'
import { installed, type Pair, resume, resumeBack } from './resume.ts'
import { SOURCES } from './sources.ts'
import { backName, type Row, rowLine, rowsOf, withRows, withTables } from './table.ts'

const scratch = process.env.AGENTFOLD_RECORD ?? join(tmpdir(), 'agentfold-record')
const PAGE = 'docs/handoff-results.md'
const RESULTS = 'tools/handoff/results.tsv'

/** A program that goes on with a session. With another one, that one goes on first. */
interface Way {
  readonly name: string
  readonly program: ResumingProgram
  readonly other?: ResumingProgram
}

// The others of a program are its neighbours.
const ways: readonly Way[] = [
  ...RESUMING_PROGRAMS.map((program) => ({ name: program.name, program })),
  ...RESUMING_PROGRAMS.flatMap((program, at) =>
    [RESUMING_PROGRAMS.at(at - 1), RESUMING_PROGRAMS[(at + 1) % RESUMING_PROGRAMS.length]].flatMap((other) =>
      other ? { name: backName(other.name, program.name), program, other } : [],
    ),
  ),
]

// An argument names a program that goes on, is `back`, or begins the names of sessions.
const only = process.argv.slice(2)
const chosen = ways.filter(
  ({ program, other }) => only.includes(program.name) || (other && only.includes('back')),
)
const wanted = chosen.length > 0 ? chosen : ways
const beginnings = only.filter((word) => word !== 'back' && !ways.some(({ name }) => name === word))
const sources = SOURCES.filter(
  ({ name }) => beginnings.length === 0 || beginnings.some((beginning) => name.startsWith(beginning)),
)

for (const program of new Set(wanted.flatMap(({ program, other }) => [program, other ?? []]).flat())) {
  installed(program, scratch)
  nodeFor(program, scratch)
}
// The database of OpenCode needs a newer Node than the oldest one that agentfold supports.
if (!isAlone() && runAlone(only, nodeFor({ needsNode22: true }, scratch))) process.exit()

for (const { name, path } of sources) {
  const { state } = await readSession(join('fixtures', path))
  const left = wanted.filter(({ program, other }) => !other || state.session.program === program.name)
  const rows: Row[] = []
  const work = async (): Promise<void> => {
    for (let way = left.shift(); way; way = left.shift())
      rows.push(rowOf(name, way.name, await pairOf(way, state)))
  }
  // Each program needs a core.
  await Promise.all([work(), work()])
  for (const row of rows) process.stdout.write(`${rowLine(row)}\n`)
  const order = {
    sessions: SOURCES.map((each) => each.name),
    programs: ways.map((each) => each.name),
  }
  const all = withRows(rowsOf(readFileSync(RESULTS, 'utf8')), rows, order)
  writeFileSync(RESULTS, `${all.map(rowLine).join('\n')}\n`)
  writeFileSync(PAGE, withTables(readFileSync(PAGE, 'utf8'), all))
}

function pairOf({ program, other }: Way, state: SessionConversationState): Promise<Pair> {
  return other ? resumeBack(program, other, state, scratch) : resume(program, state, scratch)
}

function rowOf(session: string, program: string, { check, agents, refusal, losses }: Pair): Row {
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
