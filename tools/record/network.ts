import { spawnSync } from 'node:child_process'
import process from 'node:process'

const FLAG = 'AGENTFOLD_RECORD_ALONE'

/** Whether this process has no network but loopback, or the system does not allow that. */
export function isAlone(): boolean {
  return process.env[FLAG] !== undefined
}

/** Runs this script again with the arguments, without network, in this Node or another one. Returns whether it ran. */
export function runAlone(args: readonly string[], node = process.execPath): boolean {
  const isolation = process.getuid?.() === 0 ? ['--net'] : ['--map-root-user', '--net']
  const inside = ['sh', '-c', 'ip link set lo up && exec "$@"', 'sh']
  const allowed = spawnSync('unshare', [...isolation, ...inside, 'true']).status === 0
  if (!allowed) {
    process.stderr.write('unshare or ip is missing: the programs keep their network\n')
    return false
  }
  const script = process.argv[1] ?? ''
  const env = { ...process.env, [FLAG]: '1' }
  const { status } = spawnSync('unshare', [...isolation, ...inside, node, script, ...args], {
    env,
    stdio: 'inherit',
  })
  process.exitCode = status ?? 1
  return true
}
