import { cpus, loadavg } from 'node:os'
import { benchClaims } from './claims.ts'
import { benchConversations } from './conversations.ts'
import { benchFirstRead } from './first-read.ts'
import { reportGates } from './gates.ts'
import { benchAgents, benchGrowth } from './growth.ts'
import { benchIdentity } from './identity.ts'
import { benchLive } from './live.ts'
import { benchMemory } from './memory.ts'
import { benchReading } from './reading.ts'
import { benchRealFiles } from './real-files.ts'
import { benchReducer } from './reducer.ts'
import { benchRegistry } from './registry.ts'
import { benchSelectors } from './selectors.ts'
import { benchSteps } from './steps.ts'

/** The parts of the benchmark by name. */
const PARTS: ReadonlyMap<string, () => void | Promise<void>> = new Map([
  ['reducer', benchReducer],
  ['reading', benchReading],
  ['real-files', benchRealFiles],
  ['first-read', benchFirstRead],
  ['growth', benchGrowth],
  ['agents', benchAgents],
  ['steps', benchSteps],
  ['live', benchLive],
  ['selectors', benchSelectors],
  ['identity', benchIdentity],
  ['claims', benchClaims],
  ['registry', benchRegistry],
  ['conversations', benchConversations],
  ['memory', benchMemory],
])

const HELP = `npm run bench -- [parts] [--check]

Prints tables of the given parts, or of all: ${[...PARTS.keys()].join(', ')}.
--check: the exit code says whether all gates of these parts hold.
`

const given = process.argv.slice(2).filter((argument) => argument !== '--check')
const unknown = given.filter((name) => !PARTS.has(name))
if (unknown.length > 0) {
  process.stdout.write(HELP)
  if (!unknown.includes('--help')) process.exitCode = 2
} else {
  for (const [name, bench] of PARTS)
    if (given.length === 0 || given.includes(name)) {
      process.stdout.write(`${name}: load ${loadavg()[0]?.toFixed(1)} on ${cpus().length} cores\n`)
      await bench()
    }
  const isHeld = reportGates()
  if (process.argv.includes('--check') && !isHeld) process.exitCode = 1
}
