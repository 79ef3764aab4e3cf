import { spawnSync } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createContext, Script } from 'node:vm'
import { build as bundle } from 'esbuild'
import { build } from 'vite'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const root = join(import.meta.dirname, '../..')

const EVENTS = `[
  { type: 'block:upsert', block: { id: 'a', type: 'assistant_text', status: 'pending', content: '' } },
  { type: 'block:delta', blockId: 'a', delta: 'hello' },
]`
const FOLD = `reduceSessionEvents(createInitialConversationState(), ${EVENTS}).blocks[0].content`
const PRINT = `console.log(${FOLD}, typeof claudeSource.read, typeof opencodeSource.read, typeof useBlock,
  replay(${EVENTS}).length, typeof sessionLog().generate)
  const functions = [compareSessions, hashCanonical, createClaim, createConversationLog, stamp]
  console.log(functions.every((each) => typeof each === 'function'), hashCanonical([]).length)`
const PRINTED = 'hello function function function 2 function\ntrue 64\n'

/** A project that knows nothing but what it has installed. */
describe('the installed package', () => {
  let project = ''
  beforeAll(async () => {
    project = await mkdtemp(join(tmpdir(), 'agentfold-installed-'))
    const [packed] = JSON.parse(
      run('npm', ['pack', '--ignore-scripts', '--json', '--pack-destination', project], root),
    )
    await write('package.json', JSON.stringify({ name: 'project', private: true }))
    const packages = [join(project, packed.filename), 'react@19', '@types/react@19', 'fast-check@4']
    run('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts', ...packages], project)
  })
  afterAll(() => rm(project, { recursive: true }))

  const write = (name: string, text: string): Promise<void> => writeFile(join(project, name), text)

  it('runs as an ECMAScript module', async () => {
    await write(
      'main.mjs',
      `import { createInitialConversationState, reduceSessionEvents } from 'agentfold'
       import { claudeSource } from 'agentfold/claude'
       import { opencodeSource } from 'agentfold/opencode'
       import { compareSessions } from 'agentfold/parity'
       import { hashCanonical } from 'agentfold/identity'
       import { createClaim } from 'agentfold/lineage'
       import { createConversationLog } from 'agentfold/conversations'
       import { stamp } from 'agentfold/sync'
       import { useBlock } from 'agentfold/react'
       import { replay } from 'agentfold/testing'
       import { sessionLog } from 'agentfold/testing/arbitraries'
       ${PRINT}`,
    )
    expect(run('node', ['main.mjs'], project)).toBe(PRINTED)
  })

  it('runs as a CommonJS module', async () => {
    await write(
      'main.cjs',
      `const { createInitialConversationState, reduceSessionEvents } = require('agentfold')
       const { claudeSource } = require('agentfold/claude')
       const { opencodeSource } = require('agentfold/opencode')
       const { compareSessions } = require('agentfold/parity')
       const { hashCanonical } = require('agentfold/identity')
       const { createClaim } = require('agentfold/lineage')
       const { createConversationLog } = require('agentfold/conversations')
       const { stamp } = require('agentfold/sync')
       const { useBlock } = require('agentfold/react')
       const { replay } = require('agentfold/testing')
       const { sessionLog } = require('agentfold/testing/arbitraries')
       ${PRINT}`,
    )
    expect(run('node', ['main.cjs'], project)).toBe(PRINTED)
  })

  it('has a command', () => {
    const recording = join(root, 'fixtures/claude-code/01-plain-text/stream.ndjson')
    expect(run('npx', ['agentfold', 'replay', recording], project)).toContain('no issues')
  })

  it.each([
    ['nodenext', 'nodenext'],
    ['esnext', 'bundler'],
  ])('has types for module %s, resolved as %s', async (module, moduleResolution) => {
    await write(
      'typed.mts',
      `import { findBlock, parseTranscript, type SessionEvent, sessionEventSchema } from 'agentfold'
       import { claudeTranscript } from 'agentfold/claude'
       import { opencodeTranscript } from 'agentfold/opencode'
       import { useBlockIds } from 'agentfold/react'
       import { type Replay, replay } from 'agentfold/testing'
       import { sessionLog } from 'agentfold/testing/arbitraries'
       import * as fc from 'fast-check'
       fc.assert(fc.property(sessionLog(), (events) => void replay(events)))
       export const walk: Replay = replay([])
       const state = parseTranscript('claude-sdk', claudeTranscript({}))
       export const event: SessionEvent = { type: 'session:idle' }
       export const found: string | undefined = findBlock(state, 'main', 'a')?.id
       export const all = [opencodeTranscript, useBlockIds, sessionEventSchema]
       // @ts-expect-error: an event without its fields
       export const wrong: SessionEvent = { type: 'block:delta' }`,
    )
    const compilerOptions = {
      module,
      moduleResolution,
      target: 'es2022',
      strict: true,
      noEmit: true,
      types: [],
    }
    await write('tsconfig.json', JSON.stringify({ compilerOptions, files: ['typed.mts'] }))
    expect(run(join(root, 'node_modules/.bin/tsc'), ['--pretty', 'false'], project)).toBe('')
  })

  it('is built for a browser by Vite, with nothing of Node in it', async () => {
    await write('index.html', '<script type="module" src="./page.mjs"></script>')
    await write(
      'page.mjs',
      `import * as all from 'agentfold'
       import * as claude from 'agentfold/claude'
       import * as opencode from 'agentfold/opencode'
       import * as parity from 'agentfold/parity'
       import * as identity from 'agentfold/identity'
       import * as lineage from 'agentfold/lineage'
       import * as conversations from 'agentfold/conversations'
       import * as sync from 'agentfold/sync'
       import * as react from 'agentfold/react'
       import * as testing from 'agentfold/testing'
       window.all = [all, claude, opencode, parity, identity, lineage, conversations, sync, react, testing]`,
    )
    await build({ root: project, logLevel: 'error', build: { minify: false, outDir: join(project, 'out') } })
    const page = await readFile(join(project, 'out/index.html'), 'utf8')
    const [, script = ''] = /src="\/(assets\/[^"]+)"/.exec(page) ?? []
    const code = await readFile(join(project, 'out', script), 'utf8')
    expect(code).toContain('reduceSessionEvents')
    expect(code).not.toMatch(/__vite[-_]browser[-_]external|require\(|from ?['"]node:/)
  })

  it('folds where there is the language and nothing else', async () => {
    const { outputFiles } = await bundle({
      stdin: { contents: "export * from 'agentfold'", resolveDir: project },
      bundle: true,
      write: false,
      format: 'iife',
      globalName: 'agentfold',
    })
    const bare = createContext({})
    new Script(outputFiles[0]?.text ?? '').runInContext(bare)
    const { createInitialConversationState, reduceSessionEvents } = bare.agentfold
    expect(reduceSessionEvents(createInitialConversationState(), [{ type: 'session:idle' }]).blocks).toEqual(
      [],
    )
    expect(new Script(`with (agentfold) { ${FOLD} }`).runInContext(bare)).toBe('hello')
    bare.line = '{"type":"user","sessionId":"s","message":{"content":"Hi."}}'
    const read = (code: string): unknown => new Script(`with (agentfold) { ${code} }`).runInContext(bare)
    expect(read(`parseTranscript('claude-sdk', line).blocks[0].content`)).toBe('Hi.')
    expect(read(`decodeLines(initialLines, line + '\\n').lines.length`)).toBe(1)
    expect(
      read(`const store = createSessionStore({ schedule: 'manual' })
        store.dispatchAll(readTranscript('claude-sdk', line).events)
        buildSessionTree(store.flush()).children.length`),
    ).toBe(0)
  })
})

/** What the command prints; its errors count as what it prints. */
function run(command: string, args: readonly string[], cwd: string): string {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, encoding: 'utf8' })
  return status === 0 ? stdout : `${command} failed: ${stdout}${stderr}`
}
