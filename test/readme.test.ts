import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { expect, it } from 'vitest'
import { run } from '../src/cli/run.ts'
import { examples, pageAt, ROOT } from './docs/pages.ts'

const README = pageAt('README.md')

it('fits on 200 lines and has at most 1,000 words', () => {
  expect(README.trimEnd().split('\n').length).toBeLessThanOrEqual(200)
  expect(README.split(/\s+/).length).toBeLessThanOrEqual(1_000)
})

it('has quick starts of at most 15 lines, without paths into the repository', () => {
  const codes = examples.filter(({ page }) => page === 'README.md').map(({ code }) => code.trimEnd())
  expect(codes.length).toBeGreaterThan(2)
  for (const code of codes) {
    expect(code.split('\n').length).toBeLessThanOrEqual(15)
    expect(code).not.toContain('fixtures/')
  }
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

it('names commands that the package has', () => {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
  expect(README).toContain('npm install agentfold')
  for (const [, name = ''] of README.matchAll(/npm run (\w+)/g)) expect(scripts).toHaveProperty(name)
  expect(README).toContain('npm test')
  expect(scripts).toMatchObject({ replay: expect.any(String), test: expect.any(String) })
})
