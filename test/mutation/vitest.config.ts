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
  // Stryker learns which tests reach a change from modules that each file loads for itself.
  { ...config, test: { ...config.test, include: tests, isolate: true } },
  // The properties try as many inputs as in `npm run test:all`.
  { test: { exclude: without, env: { DEPTH: 'all' } } },
)

export default partConfig
