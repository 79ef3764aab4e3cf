import { spawnSync } from 'node:child_process'
import { appendFileSync, existsSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { loadavg } from 'node:os'
import { dirname, join } from 'node:path'
import process from 'node:process'
import { makeSessions } from './make-sessions.ts'

/**
 * `npm run bench:index -- [count] [folder] [earlier]` makes that many sessions from the recordings, and prints the CPU time (user and
 * system) and the time of each command, in a process of its own, beside those of `grep`, of `rg`, of ccusage where `npm run bench:peers`
 * has installed it, and of an earlier version by its `dist/cli.js`.
 */
const [count = '10000', folder = join('node_modules', '.bench', 'sessions'), earlier] = process.argv.slice(2)
const home = join(folder, count)
const CLI = join('node_modules', '.bench', 'index', 'cli', 'main.js')
const CCUSAGE = join('test', 'bench', 'peers', 'node_modules', '.bin', 'ccusage')
const NO_HIT = 'xyzzyplugh'
/** The recorded sessions of some scenarios have it, in calls and in answers. */
const HIT = 'teal'

// The package says that its files are modules. Without that, Node parses each of them once more to find it out.
writeFileSync(join(dirname(CLI), 'package.json'), '{"type":"module"}\n')

rmSync(join(home, 'own'), { recursive: true, force: true })
const bytes = existsSync(home) ? sizeOf(home) : makeSessions(home, Number(count))
// A change within two seconds may leave a stamp as it is, so an index reads files that are so new again.
spawnSync('sleep', ['3'])
process.stdout.write(
  `Node ${process.version}, ${count} sessions, ${Math.round(bytes / 1e6)} MB, a load of ${loadavg()[0]?.toFixed(0)}\n`,
)

measure('first index (stats)', process.execPath, [CLI, 'stats', '--home', home])
process.stdout.write(`index: ${Math.round(sizeOf(join(home, 'own')) / 1e6)} MB\n`)
for (const args of [['list'], ['search', NO_HIT], ['search', HIT], ['stats'], ['stats', '--by', 'model']])
  measure(args.join(' '), process.execPath, [CLI, ...args, '--home', home])
const changed = newestOf(join(home, '.claude'))
appendFileSync(changed, '{"type":"ai-title","aiTitle":"Changed","sessionId":"changed"}\n')
measure('list after one change', process.execPath, [CLI, 'list', '--home', home])
measure('list after the same change', process.execPath, [CLI, 'list', '--home', home])
for (const text of [NO_HIT, HIT]) {
  measure(`grep -rl ${text}`, 'grep', ['-rlF', text, join(home, '.claude'), join(home, '.codex')])
  measure(`rg -l ${text}`, 'rg', [
    '-lF',
    '--no-ignore',
    '--hidden',
    text,
    join(home, '.claude'),
    join(home, '.codex'),
  ])
}
// It reads the sessions of Claude Code alone.
if (existsSync(CCUSAGE)) measure('ccusage session', CCUSAGE, ['session', '--offline', '--json'])
if (earlier) {
  for (const args of [['list'], ['list', '--all'], ['search', NO_HIT], ['search', HIT]])
    measure(`earlier ${args.join(' ')}`, process.execPath, [earlier, ...args, home])
}

/** Runs a command. The shell reports its CPU time, with that of its children. */
function measure(name: string, command: string, args: readonly string[]): void {
  const env = {
    ...process.env,
    ...{
      XDG_CACHE_HOME: join(home, 'own'),
      CLAUDE_CONFIG_DIR: join(home, '.claude'),
      TIMEFORMAT: '%R %U %S',
    },
  }
  const { stdout, stderr } = spawnSync('bash', ['-c', 'time "$@"', 'bash', command, ...args], {
    ...{ env, encoding: 'utf8', maxBuffer: 2 ** 28 },
  })
  const [real = 0, user = 0, system = 0] = stderr.trim().split('\n').at(-1)?.split(' ').map(Number) ?? []
  const lines = stdout.split('\n').length - 1
  process.stdout.write(
    `${name}: ${(user + system).toFixed(2)} s of CPU, ${real.toFixed(2)} s, ${lines} lines\n`,
  )
}

function sizeOf(path: string): number {
  if (!existsSync(path)) return 0
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0)
}

function newestOf(path: string): string {
  const files = readdirSync(path, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.jsonl') && !name.includes('subagents'))
    .map((name) => join(path, name))
  return files.reduce((newest, each) => (statSync(each).mtimeMs > statSync(newest).mtimeMs ? each : newest))
}
