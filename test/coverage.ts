import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { Session } from 'node:inspector/promises'
import { dirname, join } from 'node:path'
import { deserialize, serialize } from 'node:v8'
import v8 from '@vitest/coverage-v8'
import { isThorough } from './depth.ts'

const session = new Session()
let isStarted = false

/** The coverage of `npm test`, for `npm run test:all`. */
const FIRST_HALF = join(import.meta.dirname, '../node_modules/.coverage/first-half')

/**
 * Vitest's provider, but V8 notes only whether a block ran, and not how often: tests that compute take about an eighth less time.
 * The mode belongs to the whole thread, so a second session can set it after the provider's own has begun. `npm test` leaves its
 * coverage, and `npm run test:all` adds its own: the thresholds hold for both together.
 */
export default {
  ...v8,
  async startCoverage(options: { isolate: boolean }) {
    await v8.startCoverage?.(options)
    if (isStarted) return
    isStarted = true
    session.connect()
    await session.post('Profiler.enable')
    await session.post('Profiler.startPreciseCoverage', { callCount: false, detailed: true })
  },
  async getProvider() {
    const provider = await v8.getProvider()
    const generateCoverage = provider.generateCoverage.bind(provider)
    provider.generateCoverage = async (context) => {
      const coverage: unknown = await generateCoverage(context)
      if (!isCoverageMap(coverage)) throw new TypeError('the provider gives no map of coverage')
      if (isThorough) coverage.merge(deserialize(await readFile(FIRST_HALF)))
      else {
        await mkdir(dirname(FIRST_HALF), { recursive: true })
        await writeFile(FIRST_HALF, serialize(plainMap(coverage)))
      }
      return coverage
    }
    return provider
  },
}

/** A map of Istanbul, as far as it is needed here. */
interface CoverageMap {
  toJSON(): Readonly<Record<string, { toJSON(): object }>>
  merge(other: unknown): void
}

function isCoverageMap(value: unknown): value is CoverageMap {
  return typeof value === 'object' && value !== null && 'toJSON' in value && 'merge' in value
}

/** JSON would lose the end of a line, whose column is infinite, and so each place would be another one. */
function plainMap(coverage: CoverageMap): object {
  return Object.fromEntries(Object.entries(coverage.toJSON()).map(([path, file]) => [path, file.toJSON()]))
}
