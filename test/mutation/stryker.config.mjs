import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'

/**
 * Changes the source here and there and looks whether a test notices; by hand, as it takes up to an hour:
 * `npm run mutate -- claims`. The tests over random logs are left out: they notice most of
 * what the others miss, and take seconds for each change.
 */
const parts = JSON.parse(readFileSync(join(import.meta.dirname, 'parts.json'), 'utf8'))
const part = parts[process.env.PART]
if (!part) throw new Error(`PART: pass one of ${Object.keys(parts).join(', ')}`)

export default {
  mutate: part.mutate,
  testRunner: 'vitest',
  plugins: ['@stryker-mutator/vitest-runner'],
  vitest: { configFile: 'test/mutation/vitest.config.ts', related: false },
  coverageAnalysis: 'perTest',
  // A change of a constant of a module runs every test, and took most of the time.
  ignoreStatic: true,
  disableTypeChecks: true,
  timeoutMS: 30_000,
  reporters: ['clear-text', 'progress-append-only'],
  clearTextReporter: { allowColor: false, allowEmojis: false, logTests: false },
  tempDirName: 'node_modules/.stryker',
}
