import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { mergeConfig, type ViteUserConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import config from '../../vitest.config.ts'

interface Part {
  readonly tests: string[]
  readonly without?: string[]
}

const parts: Readonly<Record<string, Part>> = JSON.parse(
  readFileSync(join(import.meta.dirname, 'parts.json'), 'utf8'),
)
const { tests, without = [] } = parts[process.env.PART ?? ''] ?? { tests: [] }

/** A law costs most, and has only to try the changes that no example has noticed. */
class LawsLast extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLaw = ({ moduleId }: TestSpecification) =>
      readFileSync(moduleId, 'utf8').includes("from 'fast-check'")
    return [...files.filter((file) => !isLaw(file)), ...files.filter(isLaw)]
  }
}

const partConfig: ViteUserConfig = mergeConfig(
  // One process for all: the changes are switched on in it.
  {
    ...config,
    test: {
      ...config.test,
      include: tests,
      isolate: false,
      pool: 'forks',
      maxWorkers: 1,
      sequence: { sequencer: LawsLast },
    },
  },
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
