import { execFileSync } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import * as agentfold from '../src/index.ts'

const root = fileURLToPath(new URL('../', import.meta.url))

/** What reads transcripts, and with it every source. */
const SOURCES = [
  'TranscriptError',
  'decodeLines',
  'detectArchitecture',
  'endLines',
  'initialLines',
  'parseTranscript',
  'readTranscript',
]

const IDENTITY = [
  'canonicalize',
  'computeAgentTypeHash',
  'computeConversationHash',
  'computeToolSetHash',
  'hashCanonical',
  'hashFirstAssistantResponse',
  'hashSystemPrompt',
  'hashUserMessage',
  'identifyConversation',
]

/** Of conversations that are written down as turns; who has those has no sessions, mostly. */
const TURNS = ['hashTurns', 'materializeTurns', 'parseConversationSpec', 'parseStoredTurns', 'shortHash']

/** In bytes, minified and gzipped, with all that comes along. The README says where they differ from the first design. */
const budgets = [
  { name: 'the reducer', imports: ['reduceSessionEvent'], budget: 6_250 },
  { name: 'the identity of sessions', imports: IDENTITY, budget: 6_000 },
  { name: 'the hashes of turns', imports: TURNS, budget: 6_000 },
  { name: 'both', imports: [...IDENTITY, ...TURNS], budget: 7_000 },
  {
    name: 'all but what reads transcripts',
    imports: Object.keys(agentfold).filter((name) => !SOURCES.includes(name)),
    budget: 27_400,
  },
]

describe('the built package', () => {
  let folder = ''
  beforeAll(async () => {
    // Within the project, so that its package.json counts for the bundler and its packages are found.
    folder = await mkdtemp(join(root, 'node_modules', '.size-'))
    execFileSync(join(root, 'node_modules/.bin/tsup'), ['--no-dts', '--silent', '--out-dir', folder], {
      cwd: root,
    })
  })
  afterAll(() => rm(folder, { recursive: true }))

  it.each(budgets)('$name: at most $budget bytes in a browser', async ({ imports, budget }) => {
    const size = await bundled(
      `export { ${imports.join(', ')} } from ${JSON.stringify(join(folder, 'index.js'))}`,
    )
    expect(size).toBeLessThanOrEqual(budget)
  })

  it('has sizes to measure: what is not imported is left out', async () => {
    const all = await bundled(`export * from ${JSON.stringify(join(folder, 'index.js'))}`)
    for (const { budget } of budgets) expect(all).toBeGreaterThan(budget)
  })

  // Frameworks with server components take a module without it for one of the server, where there are no hooks.
  it('marks the hooks as code of the client', async () => {
    expect(await readFile(join(folder, 'react.js'), 'utf8')).toMatch(/^['"]use client['"]/)
  })

  async function bundled(contents: string): Promise<number> {
    const { outputFiles } = await build({
      stdin: { contents, resolveDir: root },
      bundle: true,
      minify: true,
      write: false,
      format: 'esm',
      target: 'es2022',
      define: { 'process.env.NODE_ENV': '"production"' },
    })
    return gzipSync(outputFiles[0]?.contents ?? '', { level: 9 }).length
  }
})
