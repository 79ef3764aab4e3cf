import { join } from 'node:path'
import { configDefaults, defineConfig, type ViteUserConfig } from 'vitest/config'

const src = (path: string) => join(import.meta.dirname, 'src', path)

const config: ViteUserConfig = defineConfig({
  resolve: {
    alias: [
      { find: /^agentfold\/claude$/, replacement: src('sources/claude/index.ts') },
      { find: /^agentfold\/opencode$/, replacement: src('sources/opencode/index.ts') },
      { find: /^agentfold\/react$/, replacement: src('react/index.ts') },
      { find: /^agentfold\/testing$/, replacement: src('testing/index.ts') },
      { find: /^agentfold\/testing\/arbitraries$/, replacement: src('testing/arbitraries/index.ts') },
      { find: /^agentfold$/, replacement: src('index.ts') },
    ],
  },
  test: {
    include: ['test/**/*.test.ts'],
    // They install the package: `npm run check:package`.
    exclude: [...configDefaults.exclude, 'test/package/**'],
    setupFiles: ['test/no-console.ts'],
    // It takes its time: `CI=true npm test` measures what `npm test` leaves out.
    coverage: {
      enabled: process.env.CI === 'true',
      include: ['src/**'],
      reporter: ['text-summary'],
      thresholds: { lines: 97, branches: 97 },
    },
    // A run is not watched, so no core has to be left for that.
    maxWorkers: '100%',
    // Tests check results, never times: the limit is there for what hangs, not for a slow machine.
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
})

export default config
