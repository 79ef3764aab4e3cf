import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { join } from 'node:path'
import { build } from 'esbuild'
import { beforeAll, describe, expect, it } from 'vitest'
import { init, modelSays, toText } from '../wires/claude/messages.ts'
import { temporaryFolder } from './temporary.ts'

const { inFolder, file } = temporaryFolder()
const hello = toText([init, modelSays('m1', 'Hi.', { uuid: 'u1' })])

beforeAll(async () => {
  await build({
    entryPoints: [join(import.meta.dirname, '../../src/cli/main.ts')],
    outfile: inFolder('main.mjs'),
    bundle: true,
    platform: 'node',
    format: 'esm',
    // Some packages are CommonJS, and call `require` for the modules of Node.
    banner: {
      js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url)",
    },
  })
  await file('hi', hello)
  await file('ho', hello.replace('Hi.', 'Ho.'))
})

/** Starts the command as a process with one closed output stream. */
function startWithClosed(
  closed: 'stdout' | 'stderr',
  args: readonly string[],
): ChildProcessWithoutNullStreams {
  const child = spawn(process.execPath, ['main.mjs', ...args], { cwd: inFolder() })
  child[closed].destroy()
  return child
}

const codeOf = (child: ChildProcessWithoutNullStreams) =>
  new Promise((resolve) => {
    child.on('exit', resolve)
  })

it('reads a session with more files than the system can open at once', async () => {
  await file('many.jsonl', hello)
  for (let at = 0; at < 100; at += 1) await file(join('many', 'subagents', `agent-${at}.jsonl`), '')
  const command = `ulimit -n 60 && exec "${process.execPath}" main.mjs replay many.jsonl`
  expect(await codeOf(spawn('sh', ['-c', command], { cwd: inFolder() }))).toBe(0)
})

describe('the exit code', () => {
  // It was always 0.
  it.each([
    [['parity', 'hi', 'ho'], 1],
    [['parity', 'hi', 'ho', '--json'], 1],
    [['parity', 'hi', 'hi'], 0],
    [['replay', 'hi'], 0],
    [['replay', 'none'], 1],
  ])('is the same if nobody reads the output: %j', async (args, code) => {
    expect(await codeOf(startWithClosed('stdout', args))).toBe(code)
  })

  // It was 1, because of an unhandled error event.
  it.each([
    [['parity', 'hi', 'none'], 2],
    [['replay', 'none'], 1],
    [['replay'], 2],
    [['brew'], 2],
  ])('is the same if nobody reads the error stream: %j', async (args, code) => {
    expect(await codeOf(startWithClosed('stderr', args))).toBe(code)
  })

  it('is set at once if nobody reads the events of an open pipe', async () => {
    const child = startWithClosed('stdout', ['replay', '-', '--events'])
    child.stdin.write(hello.repeat(2))
    expect(await codeOf(child)).toBe(0)
  })
})
