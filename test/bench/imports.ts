import { spawnSync } from 'node:child_process'
import process from 'node:process'

/** The entry points of the built package that most programs begin with. */
const ENTRIES = [
  'agentfold',
  'agentfold/hub',
  'agentfold/sync',
  'agentfold/react',
  'agentfold/lineage',
  'agentfold/node',
]
const ROUNDS = 20

/** Returns the CPU time of a new process that runs the code, in ms. */
function cpuOf(code: string): number {
  const program = `${code}; const { user, system } = process.cpuUsage(); console.log((user + system) / 1000)`
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
    encoding: 'utf8',
  })
  const time = Number(stdout)
  if (!(time > 0)) throw new Error(`build the package first: ${stderr}`)
  return time
}

// In turns, because other programs take more of the machine at one time than at another.
const codes = ['', ...ENTRIES.map((name) => `await import('${name}')`)]
const times = codes.map((): number[] => [])
for (let round = 0; round < ROUNDS; round += 1)
  codes.forEach((code, at) => {
    times[at]?.push(cpuOf(code))
  })
const [own = 0, ...least] = times.map((each) => Math.min(...each))
process.stdout.write(`Node itself: ${own.toFixed(0)} ms of CPU\n`)
ENTRIES.forEach((name, at) => {
  const beyond = (least[at] ?? 0) - own
  process.stdout.write(
    `${name}: ${beyond.toFixed(0)} ms beyond it, ${(beyond / own).toFixed(2)} × its time\n`,
  )
})
