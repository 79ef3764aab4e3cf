import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { parseArgs } from 'node:util'
import { agentScenario } from './agent-scenarios.ts'
import { checkRecording } from './check.ts'
import { install } from './install.ts'
import { mixedScenario } from './mixed-scenario.ts'
import { isAlone, runAlone } from './network.ts'
import { acpOf } from './programs/acp.ts'
import { RECORDED_PROGRAMS } from './programs/all.ts'
import { recordScenario } from './record.ts'
import { scenarios } from './scenarios.ts'
import { stopOf } from './script.ts'
import { workScenario } from './work-scenario.ts'

const USAGE = 'usage: npm run record -- [--acp] <program>[@version] [<scenario>…]'

const { values: options, positionals } = parseArgs({
  options: { acp: { type: 'boolean' } },
  allowPositionals: true,
})
const [wanted = '', ...names] = positionals
const [name = '', version] = wanted.split('@')
const found = RECORDED_PROGRAMS.find((each) => each.name === name)
const program = found && options.acp ? acpOf(found) : found
if (!found || !program) {
  const known = RECORDED_PROGRAMS.map((each) => each.name).join(', ')
  throw new RangeError(`${USAGE}; the programs are ${known}`)
}

const scratch = process.env.AGENTFOLD_RECORD ?? join(tmpdir(), 'agentfold-record')
const installed = { ...install(found, version, scratch), program }
const again = [...(options.acp ? ['--acp'] : []), `${name}@${installed.version}`, ...names]
if (!isAlone() && runAlone(again)) process.exit()

// A process of a command line has one prompt.
const cannot = {
  ...(!program.record && { queue: 'a process has one prompt' }),
  ...(program.compactsBy === 'limit' && {
    'compaction-command': 'a mixed script needs the results of its calls',
  }),
  ...program.cannot,
}
const others = names.flatMap((each) =>
  each === 'work' ? workScenario() : (mixedScenario(each, cannot) ?? agentScenario(each, program.compactsBy)),
)
for (const scenario of [...scenarios(program), ...others]) {
  if (names.length > 0 && !names.includes(scenario.name)) continue
  const stopsNone = stopOf(scenario) === 'agent' && !program.stopsAgent && !program.record
  const reason = stopsNone ? 'no client stops one of several agents' : program.cannot[scenario.name]
  if (reason !== undefined) {
    print(`${scenario.name}: - (${reason})`)
    continue
  }
  const folder = join(scratch, 'recordings', `${program.name}@${installed.version}`, scenario.name)
  const notes = await recordScenario(installed, scenario, folder)
  for (const { form, faults } of checkRecording(folder))
    print(`${scenario.name}, ${form}: ${faults.length === 0 ? 'right' : faults.join('\n  ')}`)
  print(`  ${notes}`)
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}
