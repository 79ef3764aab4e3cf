import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { mergeConfig, type ViteUserConfig } from 'vitest/config'
import config from '../../vitest.config.ts'

interface Part {
  readonly tests: string[]
  readonly without?: string[]
}

const parts: Readonly<Record<string, Part>> = JSON.parse(
  readFileSync(join(import.meta.dirname, 'parts.json'), 'utf8'),
)
const { tests, without = [] } = parts[process.env.PART ?? ''] ?? { tests: [] }

const partConfig: ViteUserConfig = mergeConfig(
  // One process for all: the changes are switched on in it.
  { ...config, test: { ...config.test, include: tests, isolate: false, pool: 'forks', maxWorkers: 1 } },
  {
    test: {
      exclude: without,
      includeTaskLocation: true,
      runner: join(import.meta.dirname, 'runner.ts'),
      testTimeout: 3_600_000,
    },
  },
)

export default partConfig
