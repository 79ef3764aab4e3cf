import { readdirSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { configDefaults, defineConfig, type ViteUserConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { entry } from './tsup.config.ts'

/** Whether this is `npm run test:all`, the second half of the gate (`test/depth.ts`). */
const isThorough = process.env.DEPTH === 'all'

/** Whether the tests run that depend on the code that V8 has compiled before: each has a process of its own. */
const isAlone = process.env.DEPTH === 'alone'

const ALONE = '**/*.alone.test.ts'

/** The files to begin with: a long one at the end would occupy one core while the others wait. */
const LONG = /\.slow\.test\.ts$|\blaws?\.test\.ts$|\/join\.test\.ts$|\/page\//

class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLong = ({ moduleId }: TestSpecification) => LONG.test(moduleId)
    const sorted = await super.sort(files)
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))]
  }
}

const config: ViteUserConfig = defineConfig({
  resolve: {
    alias: Object.entries(entry).map(([name, file]) => aliasOf(name, join(import.meta.dirname, file))),
  },
  test: {
    include: isAlone ? [ALONE] : isThorough ? thoroughFiles() : ['{test,examples,src}/**/*.test.ts'],
    exclude: [
      ...configDefaults.exclude,
      // They install the package: `npm run check:package`.
      'test/package/**',
      ...(isAlone ? [] : [ALONE]),
      ...(isThorough ? [] : ['**/*.slow.test.ts']),
    ],
    // A group of browser tests may have all of its tests in `npm test`.
    passWithNoTests: isThorough,
    setupFiles: ['test/no-console.ts', 'test/seed.ts'],
    // It takes half as long again, so it is for CI alone, and for the first half.
    coverage: {
      enabled: process.env.CI === 'true' && !isThorough && !isAlone,
      provider: 'custom',
      customProviderModule: 'test/coverage.ts',
      include: ['src/**'],
      // A browser runs the page, and its tests read what the browser shows.
      exclude: ['src/page/**'],
      reporter: ['text-summary'],
      reportOnFailure: true,
      // Those of `npm test` alone: it has a few places of each law, and so nearly each line.
      thresholds: { lines: 97, branches: 93 },
    },
    // The files of a worker share their modules: imports took a third of the time. Each test restores what it changes outside of itself.
    isolate: isAlone,
    pool: isAlone ? 'forks' : 'threads',
    // `--sequence.shuffle` has an order of its own.
    sequence: process.argv.includes('--sequence.shuffle') ? {} : { sequencer: LongFirst },
    // A run is not watched, so no core has to be left for that. Browsers and servers work in processes of their own, so a
    // worker often waits, and one more uses the time.
    maxWorkers: availableParallelism() + 1,
    // Tests check results, never times: the limit is there for what hangs, not for a slow machine.
    testTimeout: isAlone ? 1_200_000 : 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 60_000 } },
  },
})

/** Returns the long tests, and those that have more places or random inputs than in `npm test`. */
function thoroughFiles(): string[] {
  return ['test', 'examples', 'src'].flatMap((folder) =>
    readdirSync(join(import.meta.dirname, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.test.ts'))
      .map((name) => `${folder}/${name}`)
      .filter((name) => name.endsWith('.slow.test.ts') || hasDepths(name)),
  )
}

function hasDepths(name: string): boolean {
  return /from '(?:fast-check|[./]+depth\.ts)'/.test(readFileSync(join(import.meta.dirname, name), 'utf8'))
}

/** Tests import the entry points by the names that users import. */
function aliasOf(name: string, replacement: string): { readonly find: RegExp; readonly replacement: string } {
  if (name === 'index') return { find: /^agentfold$/, replacement }
  return { find: new RegExp(`^agentfold/(testing/)?${name}$`), replacement }
}

export default config
