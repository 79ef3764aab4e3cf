import { execFileSync } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const root = fileURLToPath(new URL('../', import.meta.url))

/**
 * Budgets in bytes, minified and gzipped, with all dependencies except React and fast-check. `imports` are the names that a program
 * imports from the entry. The default is all of them.
 */
const budgets: readonly {
  readonly entry: string
  readonly imports?: readonly string[]
  readonly budget: number
}[] = [
  { entry: 'index', imports: ['reduceSessionEvent'], budget: 12_200 },
  { entry: 'index', imports: ['createSessionStore'], budget: 12_500 },
  { entry: 'index', budget: 241_100 },
  { entry: 'claude', budget: 52_500 },
  { entry: 'opencode', budget: 41_600 },
  { entry: 'codex', budget: 46_500 },
  { entry: 'pi', budget: 35_600 },
  { entry: 'gemini', budget: 30_300 },
  { entry: 'kimi', budget: 31_300 },
  { entry: 'qwen', budget: 33_800 },
  { entry: 'acp', budget: 60_300 },
  { entry: 'copilot', budget: 31_100 },
  { entry: 'cline', budget: 26_100 },
  { entry: 'ai-sdk', budget: 17_800 },
  { entry: 'ag-ui', budget: 32_000 },
  { entry: 'markdown', budget: 27_200 },
  { entry: 'otel', budget: 5_800 },
  { entry: 'writers', budget: 32_400 },
  { entry: 'atif', budget: 17_800 },
  { entry: 'parity', budget: 12_600 },
  { entry: 'identity', budget: 13_000 },
  { entry: 'lineage', budget: 24_900 },
  { entry: 'conversations', budget: 14_100 },
  { entry: 'sync', budget: 18_600 },
  { entry: 'react', budget: 8_800 },
  { entry: 'testing', budget: 39_700 },
]

/** The name of a budget in the docs. */
function nameOf(entry: string, imports: readonly string[] | undefined): string {
  if (imports) return imports[0] === 'reduceSessionEvent' ? 'reducer' : 'store'
  return entry === 'index' ? 'agentfold' : `/${entry}`
}

describe('the built package', () => {
  let folder = ''
  beforeAll(async () => {
    // The folder is within the project, so that the bundler finds its package.json and its packages. `node_modules` may be a link.
    await mkdir(join(root, 'dist'), { recursive: true })
    folder = await mkdtemp(join(root, 'dist', '.size-'))
    execFileSync(join(root, 'node_modules/.bin/tsup'), ['--no-dts', '--silent', '--out-dir', folder], {
      cwd: root,
    })
  })
  afterAll(() => rm(folder, { recursive: true }))

  it.each(budgets)(
    '$entry $imports: at most $budget bytes in a browser',
    async ({ entry, imports, budget }) => {
      const names = imports ? `{ ${imports.join(', ')} }` : '*'
      const size = await bundled(`export ${names} from ${JSON.stringify(join(folder, `${entry}.js`))}`)
      expect(size).toBeLessThanOrEqual(budget)
      // A budget that is far too large checks nothing.
      expect(size).toBeGreaterThan(0.9 * budget)
    },
  )

  it('has the sizes that the docs give', async () => {
    const page = await readFile(join(root, 'docs/performance.md'), 'utf8')
    const [, names = '', sizes = ''] = /(\| reducer \| .*\|)\n[-| ]+\n(.*)/.exec(page) ?? []
    const cells = (row: string) => row.split('|').map((cell) => cell.trim().replaceAll('`', ''))
    const given = cells(names).map((name, at) => [name, Number(cells(sizes)[at])])
    const held = budgets.map(({ entry, imports, budget }) => [nameOf(entry, imports), budget / 1000])
    expect(held).toEqual(expect.arrayContaining(given.filter(([name]) => name !== '')))
  })

  // Frameworks with server components treat a module without it as server code, where hooks are missing.
  it('marks the hooks as client code', async () => {
    expect(await readFile(join(folder, 'react.js'), 'utf8')).toMatch(/^['"]use client['"]/)
  })

  async function bundled(contents: string): Promise<number> {
    const { outputFiles } = await build({
      stdin: { contents, resolveDir: root },
      bundle: true,
      minify: true,
      write: false,
      format: 'esm',
      external: ['react', 'fast-check'],
      target: 'es2022',
      define: { 'process.env.NODE_ENV': '"production"' },
    })
    return gzipSync(outputFiles[0]?.contents ?? '', { level: 9 }).length
  }
})
