import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { afterAll, describe, expect, it, vi } from 'vitest'
import { run } from '../src/cli/run.ts'

const ROOT = join(import.meta.dirname, '..')
const README = readFileSync(join(ROOT, 'README.md'), 'utf8')
const examples = [...README.matchAll(/^```ts\n(.*?)^```/gms)].map(([, code = '']) => code)

const testsOfReaders = [...README.matchAll(/^```ts test\n(.*?)^```/gms)].map(([, code = '']) => code)

it('has examples', () => {
  expect(examples.length).toBeGreaterThan(0)
  expect(testsOfReaders.length).toBeGreaterThan(0)
})

it.each(examples.map((code, at) => [at + 1, code] as const))(
  'prints what its example %i says',
  async (_, code) => {
    const printed: string[] = []
    vi.spyOn(console, 'log').mockImplementation((...said) => void printed.push(said.map(String).join(' ')))
    const folder = mkdtempSync(join(import.meta.dirname, '.readme-'))
    try {
      const file = join(folder, 'example.ts')
      writeFileSync(file, code)
      await import(file)
    } finally {
      rmSync(folder, { recursive: true })
    }
    const promised = [...code.matchAll(/console\.log\(.*\) \/\/ (.*)$/gm)].map(([, said = '']) => said)
    expect(printed).toEqual(promised)
  },
)

describe.each(testsOfReaders.map((code, at) => ({ code, at })))('its test $at', async ({ code }) => {
  const folder = mkdtempSync(join(import.meta.dirname, '.readme-'))
  afterAll(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'example.ts')
  writeFileSync(file, code)
  await import(file)
})

it('shows what the first command prints', async () => {
  const printed: string[] = []
  const terminal = {
    stdin: Readable.from([]),
    write: (text: string) => printed.push(text),
    writeError: expect.unreachable,
    isStyled: false,
    showsProgress: false,
  }
  await run(['replay', join(ROOT, 'fixtures/claude-code/06-nested-forward/stream.ndjson')], terminal)
  expect(README).toContain(printed.join('').trim())
})

it('names two commands that the package has', () => {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
  expect(README).toContain('npm ci && npm run replay')
  expect(README).toContain('npm test')
  expect(scripts).toMatchObject({ replay: expect.any(String), test: expect.any(String) })
})
