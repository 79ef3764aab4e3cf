import { join } from 'node:path'
import { configDefaults, defineConfig, type ViteUserConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { entry } from './tsup.config.ts'

/** Runs the slow files first: a long file at the end would occupy one core while the others wait. */
class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isSlow = ({ moduleId }: TestSpecification) => moduleId.endsWith('.slow.test.ts')
    const sorted = await super.sort(files)
    return [...sorted.filter(isSlow), ...sorted.filter((file) => !isSlow(file))]
  }
}

const config: ViteUserConfig = defineConfig({
  resolve: {
    alias: Object.entries(entry).map(([name, file]) => aliasOf(name, join(import.meta.dirname, file))),
  },
  test: {
    include: ['{test,examples}/**/*.test.ts'],
    // They install the package: `npm run check:package`.
    exclude: [...configDefaults.exclude, 'test/package/**'],
    setupFiles: ['test/no-console.ts', 'test/seed.ts'],
    // It takes its time: `CI=true npm test` measures what `npm test` leaves out.
    coverage: {
      enabled: process.env.CI === 'true',
      provider: 'custom',
      customProviderModule: 'test/coverage.ts',
      include: ['src/**'],
      // A browser runs the page, and its tests read what the browser shows.
      exclude: ['src/page/**'],
      reporter: ['text-summary'],
      thresholds: { lines: 97, branches: 97 },
    },
    // The files of a worker share their modules: imports took a third of the time. Each test restores what it changes outside of itself.
    isolate: false,
    pool: 'threads',
    sequence: { sequencer: SlowFirst },
    // A run is not watched, so no core has to be left for that.
    maxWorkers: '100%',
    // Tests check results, never times: the limit is there for what hangs, not for a slow machine.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 60_000 } },
  },
})

/** Tests import the entry points by the names that users import. */
function aliasOf(name: string, replacement: string): { readonly find: RegExp; readonly replacement: string } {
  if (name === 'index') return { find: /^agentfold$/, replacement }
  return { find: new RegExp(`^agentfold/(testing/)?${name}$`), replacement }
}

export default config
