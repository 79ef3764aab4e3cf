import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { parseArgs } from 'node:util'
import { checkRecording } from './check.ts'
import { install } from './install.ts'
import { isAlone, runAlone } from './network.ts'
import { acpOf } from './programs/acp.ts'
import { NOT_RECORDED, RECORDED_PROGRAMS } from './programs/all.ts'
import { hasNews, type Outcome, type ProgramReport, radarTable } from './radar-table.ts'
import { type Installed, recordScenario } from './record.ts'
import { scenarios } from './scenarios.ts'
import type { Scenario } from './script.ts'
import { type Shape, shapeChanges, shapeOf } from './shape.ts'

const VERSIONS = 'fixtures/versions.json'

type Versions = Readonly<Record<string, { readonly version: string; readonly kinds: Shape }>>

const { values: options } = parseArgs({
  options: {
    only: { type: 'string' },
    scenarios: { type: 'string' },
    acp: { type: 'boolean' },
    known: { type: 'boolean' },
    update: { type: 'boolean' },
    // The versions that are installed, for the run without network.
    installed: { type: 'string' },
  },
})

const scratch = process.env.AGENTFOLD_RECORD ?? join(tmpdir(), 'agentfold-record')
const known: Versions = existsSync(VERSIONS) ? JSON.parse(readFileSync(VERSIONS, 'utf8')) : {}
const names = options.only?.split(',')
const wanted = options.scenarios?.split(',')
const programs = RECORDED_PROGRAMS.filter(({ name }) => names === undefined || names.includes(name))
const versions = new Map(
  options.installed?.split(',').map((each) => [each.split('@')[0], each.split('@')[1]]),
)
const installed = programs.map((program) =>
  install(
    program,
    versions.get(program.name) ?? (options.known ? known[program.name]?.version : undefined),
    scratch,
  ),
)

const recorded = options.acp ? installed.flatMap(servedOverAcp) : installed
const again = installed.map(({ program, version }) => `${program.name}@${version}`).join(',')
if (isAlone() || !runAlone([...process.argv.slice(2), '--installed', again])) await radar()

async function radar(): Promise<void> {
  const reports: ProgramReport[] = []
  const found: Record<string, Versions[string]> = { ...known }
  for (const each of recorded) {
    const { report, kinds } = await reportOn(each)
    reports.push(report)
    found[report.name] = { version: report.version, kinds }
    process.stderr.write(`${report.name} ${report.version} is recorded\n`)
  }
  if (names === undefined && !options.acp) reports.push(...reportsOfOthers())
  process.stdout.write(`${radarTable(reports, scenarioNames())}\n`)
  if (options.update) writeFileSync(VERSIONS, `${JSON.stringify(found, null, 1)}\n`)
  process.exitCode = reports.some(hasNews) ? 1 : 0
}

/** Returns a row for each program that the recorder does not run, with the reason. */
function reportsOfOthers(): readonly ProgramReport[] {
  return Object.entries(NOT_RECORDED).map(([name, reason]) => ({
    name,
    version: '–',
    outcomes: [['all', { reason }]],
  }))
}

function servedOverAcp(each: Installed): readonly Installed[] {
  const program = acpOf(each.program)
  return program ? [{ ...each, program }] : []
}

async function reportOn(each: Installed): Promise<{ readonly report: ProgramReport; readonly kinds: Shape }> {
  const { program, version } = each
  const folder = join(scratch, 'recordings', `${program.name}@${version}`)
  mkdirSync(folder, { recursive: true })
  const outcomes: (readonly [string, Outcome])[] = []
  for (const scenario of scenarios(program))
    if (wanted === undefined || wanted.includes(scenario.name))
      outcomes.push([scenario.name, await outcomeOf(each, scenario, join(folder, scenario.name))])
  const kinds = shapeOf(folder)
  const before = known[program.name]?.kinds
  // Some scenarios alone have only some of the kinds.
  const changes = before && wanted === undefined ? { changes: shapeChanges(before, kinds) } : {}
  return { report: { name: program.name, version, outcomes, ...changes }, kinds }
}

async function outcomeOf(each: Installed, scenario: Scenario, folder: string): Promise<Outcome> {
  const reason = each.program.cannot[scenario.name]
  if (reason !== undefined) return { reason }
  try {
    await recordScenario(each, scenario, folder)
    return { forms: checkRecording(folder) }
  } catch (error) {
    // A program that does not start is a row of the table, and the others go on.
    return { forms: [{ form: 'recording', faults: [String(error)] }] }
  }
}

function scenarioNames(): readonly string[] {
  const all = scenarios({ compactsBy: 'command' }).map(({ name }) => name)
  return wanted ? all.filter((name) => wanted.includes(name)) : all
}
