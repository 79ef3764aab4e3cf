import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { join } from 'node:path'
import { build } from 'esbuild'
import { beforeAll, describe, expect, it } from 'vitest'
import { assistantMessage, init, text, toText } from '../formats/claude/messages.ts'
import { temporaryFolder } from './temporary.ts'

const { inFolder, file } = temporaryFolder()
const hello = toText([init, assistantMessage('m1', text('Hi.'), { uuid: 'u1' })])

beforeAll(async () => {
  await build({
    entryPoints: [join(import.meta.dirname, '../../src/cli/main.ts')],
    outfile: inFolder('main.mjs'),
    bundle: true,
    platform: 'node',
    format: 'esm',
  })
  await file('hi', hello)
  await file('ho', hello.replace('Hi.', 'Ho.'))
})

/** The command as a process of its own, of which nobody reads what it writes there. */
function unread(closed: 'stdout' | 'stderr', args: readonly string[]): ChildProcessWithoutNullStreams {
  const child = spawn(process.execPath, ['main.mjs', ...args], { cwd: inFolder() })
  child[closed].destroy()
  return child
}

const codeOf = (child: ChildProcessWithoutNullStreams) =>
  new Promise((resolve) => {
    child.on('exit', resolve)
  })

it('a session is read that has more files than may be open at once', async () => {
  await file('many.jsonl', hello)
  for (let at = 0; at < 100; at += 1) await file(join('many', 'subagents', `agent-${at}.jsonl`), '')
  const command = `ulimit -n 60 && exec "${process.execPath}" main.mjs replay many.jsonl`
  expect(await codeOf(spawn('sh', ['-c', command], { cwd: inFolder() }))).toBe(0)
})

describe('the exit code', () => {
  // It was 0 whatever had been found.
  it.each([
    [['parity', 'hi', 'ho'], 1],
    [['parity', 'hi', 'ho', '--json'], 1],
    [['parity', 'hi', 'hi'], 0],
    [['replay', 'hi'], 0],
    [['replay', 'none'], 1],
  ])('is the same where nobody reads what is found: %j', async (args, code) => {
    expect(await codeOf(unread('stdout', args))).toBe(code)
  })

  // It was 1, of an error that nobody listened for.
  it.each([
    [['parity', 'hi', 'none'], 2],
    [['replay', 'none'], 1],
    [['replay'], 2],
    [['brew'], 2],
  ])('is the same where nobody reads what is complained of: %j', async (args, code) => {
    expect(await codeOf(unread('stderr', args))).toBe(code)
  })

  it('comes at once where nobody reads the events of a pipe that goes on', async () => {
    const child = unread('stdout', ['replay', '-', '--events'])
    child.stdin.write(hello.repeat(2))
    expect(await codeOf(child)).toBe(0)
  })
})
