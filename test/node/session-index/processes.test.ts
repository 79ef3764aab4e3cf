import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { build } from 'esbuild'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openSessionIndex } from '../../../src/entries/node.ts'
import { depth } from '../../depth.ts'
import { ChangingHome, histories } from './histories.ts'

/** It is within node_modules, so that it finds its packages. */
const PROGRAM = join(process.cwd(), 'node_modules/.faults', `index-${process.pid}.mjs`)

beforeAll(async () => {
  await build({
    ...{ entryPoints: [join(import.meta.dirname, 'child.ts')], outfile: PROGRAM, bundle: true },
    ...{ packages: 'external', platform: 'node', format: 'esm', target: 'es2022' },
  })
}, 60_000)

afterAll(() => rm(PROGRAM, { force: true }))

/** Starts a process that brings the index up to date again and again. With a limit in kB, no file that it writes may be longer. */
async function start(home: string, path: string, limit?: number): Promise<ChildProcess> {
  const limited = limit === undefined ? '' : `trap '' XFSZ; ulimit -f ${limit * 2};`
  const script = `${limited} exec "$@"`
  const child = spawn('sh', ['-c', script, 'sh', process.execPath, PROGRAM, home, path], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await once(child.stdout, 'data')
  return child
}

async function kill(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit')
  child.kill('SIGKILL')
  await ended
}

async function expectRight(home: string, path: string): Promise<void> {
  const [kept, anew] = [await openSessionIndex({ home, path }), await openSessionIndex({ home, path: false })]
  expect(await kept.records()).toEqual(await anew.records())
  expect(await kept.search('tea')).toEqual(await anew.search('tea'))
  kept.close()
}

describe('an index of several processes', () => {
  it(
    'is right while two others change it, and after they are killed',
    () =>
      fc.assert(
        fc.asyncProperty(fc.array(histories, { minLength: 2, maxLength: 4 }), async (parts) => {
          const home = await mkdtemp(join(tmpdir(), 'agentfold-'))
          const path = join(home, '.cache', 'index')
          const files = new ChangingHome(home)
          let children: readonly ChildProcess[] = []
          try {
            for (const steps of parts) {
              children = await Promise.all([start(home, path), start(home, path)])
              for (const step of steps) await files.run(step)
              await expectRight(home, path)
              await Promise.all(children.map(kill))
              children = []
              await expectRight(home, path)
            }
          } finally {
            // A process that goes on would write into the folder, and hide what failed.
            await Promise.all(children.map(kill))
            await rm(home, { recursive: true })
          }
        }),
        // A shorter history fails or not by the time that it takes.
        { numRuns: depth({ few: 1, all: 5 }), endOnFailure: true },
      ),
    600_000,
  )

  it('is right if the disk is full for a process', async () => {
    const home = await mkdtemp(join(tmpdir(), 'agentfold-'))
    const path = join(home, '.cache', 'index')
    const files = new ChangingHome(home)
    for (let at = 0; at < 12; at += 1) await files.run({ operation: 'write', file: at, detail: at })
    const child = await start(home, path, 4)
    await files.run({ operation: 'append', file: 1, detail: 5 })
    await expectRight(home, path)
    await kill(child)
    await expectRight(home, path)
    await rm(home, { recursive: true })
  }, 60_000)
})
