import { appendFileSync } from 'node:fs'
import process from 'node:process'
import { Script } from 'node:vm'
import fc from 'fast-check'
import { type RunnerTestCase, TestRunner } from 'vitest'

/** What the changed code asks: which change is active, and who runs it. Its names are those of Stryker's instrumenter. */
interface Switch {
  activeMutant?: string | undefined
  currentTestId?: string | undefined
  mutantCoverage: { static: object; perTest: Record<string, Record<string, number>> }
  hitCount?: number | undefined
  hitLimit?: number
}

/** One test, and what it noticed. `main.mjs` reads it. */
export interface TestRow {
  readonly file: string
  readonly line: number | undefined
  readonly covered: readonly string[]
  readonly noticed: readonly string[]
  /** Why not all of its changes were tried. */
  readonly skipped?: string
}

declare global {
  var __stryker__: Switch
  var __attempt__: (() => unknown) | undefined
}

/** A change may make a loop endless, and only a script of its own can be stopped. */
const call = new Script('__attempt__()')
const noticed = new Set<string>()
const ROWS = process.env.MUTATION_ROWS ?? ''
const isBrief = process.env.MUTATION_REPEATED === undefined
/** The most time of the processor for the changes that one test reaches: other programs do not count. */
const MOST_MS = isBrief ? 120_000 : 10_000

/** Runs each test as it is, and then once for each change that it reaches, in one process. So a change costs what the test costs. */
export default class MutationRunner extends TestRunner {
  async runTask(test: RunnerTestCase): Promise<void> {
    const run = TestRunner.getTestFn(test)
    const row = { file: test.file.name, line: test.location?.line }
    const state = globalThis.__stryker__
    // The smallest counterexample of a law takes long, and nobody reads it.
    fc.configureGlobal({ ...fc.readConfigureGlobal(), endOnFailure: true })
    // The changed code keeps this object.
    state.mutantCoverage.perTest = {}
    state.currentTestId = 'first'
    const start = performance.now()
    const failure = await attempt(run, 60_000)
    if (failure !== undefined)
      return write({
        ...row,
        covered: [],
        noticed: [],
        skipped: 'it fails where the code asks which change is active',
      })
    const covered = Object.keys(state.mutantCoverage.perTest.first ?? {})
    const ms = performance.now() - start
    state.currentTestId = 'second'
    const again = ms > MOST_MS / 2 ? 'it takes long' : await attempt(run, MOST_MS)
    state.currentTestId = undefined
    const hits = state.mutantCoverage.perTest.second ?? {}
    // What a module or a `describe` has computed does not change.
    const isElsewhere = Object.keys(hits).length < covered.length * 0.3
    const skipped = again ?? (isElsewhere ? 'another place has computed what it reads' : undefined)
    write({ ...row, covered, ...(await tried(run, { hits, ms })), ...(skipped !== undefined && { skipped }) })
  }
}

type Run = () => unknown

async function tried(
  run: Run,
  { hits, ms }: { readonly hits: Readonly<Record<string, number>>; readonly ms: number },
): Promise<Pick<TestRow, 'noticed' | 'skipped'>> {
  const state = globalThis.__stryker__
  const found: string[] = []
  const start = process.cpuUsage()
  for (const [id, count] of Object.entries(hits)) {
    if (isBrief && noticed.has(id)) continue
    const { user, system } = process.cpuUsage(start)
    if ((user + system) / 1_000 > MOST_MS) return { noticed: found, skipped: 'it reaches too many changes' }
    Object.assign(state, { activeMutant: id, hitCount: 0, hitLimit: count * 100 + 1_000 })
    const failure = await attempt(run, ms * 5 + 700)
    Object.assign(state, { activeMutant: undefined, hitCount: undefined })
    if (failure === undefined) continue
    // A change may stay in what modules remember. Then the test would notice all further ones.
    if ((await attempt(run, MOST_MS)) !== undefined)
      return { noticed: found, skipped: 'a change has changed what it reads' }
    noticed.add(id)
    found.push(id)
  }
  return { noticed: found }
}

/** Returns why the test failed. */
async function attempt(run: Run, limitMs: number): Promise<string | undefined> {
  let timer: NodeJS.Timeout | undefined
  globalThis.__attempt__ = run
  try {
    const late = new Promise((_, reject) => {
      timer = setTimeout(() => reject(new Error('it takes too long')), limitMs)
    })
    await Promise.race([call.runInThisContext({ timeout: Math.ceil(limitMs) }), late])
    return undefined
  } catch (error) {
    return String(error)
  } finally {
    clearTimeout(timer)
  }
}

function write(row: TestRow): void {
  appendFileSync(ROWS, `${JSON.stringify(row)}\n`)
}
