import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest'
import { type Example, examples, newExampleFolder } from './pages.ts'

const OPTIONS = /^(test|server|client|browser|path=.+)$/
const isTest = ({ options }: Example) => options.includes('test')
const runsInBrowser = ({ options }: Example) =>
  options.some((option) => /^(server|client|browser)$/.test(option))
const nameOf = ({ page, at }: Example) => `${page} example ${at}`

const programs = examples.filter((example) => !isTest(example) && !runsInBrowser(example))
const testsOfReaders = examples.filter(isTest)

afterEach(() => {
  vi.restoreAllMocks()
})

it('finds examples of every kind, and knows every option', () => {
  expect(programs.length).toBeGreaterThan(10)
  expect(testsOfReaders.length).toBeGreaterThan(1)
  for (const { options } of examples) for (const option of options) expect(option).toMatch(OPTIONS)
})

describe.each(programs.map((example) => [nameOf(example), example] as const))('%s', (_, example) => {
  it('prints what its comments say', async () => {
    const printed: string[] = []
    vi.spyOn(console, 'log').mockImplementation(
      (...values) => void printed.push(values.map(String).join(' ')),
    )
    await withArgument(example, () => runFile(example))
    const promised = [...example.code.matchAll(/console\.log\(.*\) \/\/ (.*)$/gm)].map(
      ([, text = '']) => text,
    )
    expect(printed).toEqual(promised)
  })
})

describe.each(testsOfReaders.map((example) => [nameOf(example), example] as const))(
  '%s',
  async (_, example) => {
    const folder = writeExample(example)
    afterAll(() => rmSync(folder, { recursive: true }))
    await withArgument(example, () => import(join(folder, fileOf(example))))
  },
)

/** Runs the program with the path of its `path=` option as its first argument. */
async function withArgument({ options }: Example, run: () => Promise<unknown>): Promise<void> {
  const before = process.argv
  const path = options.find((option) => option.startsWith('path='))?.slice('path='.length)
  process.argv = ['node', 'example', ...(path === undefined ? [] : [path])]
  try {
    await run()
  } finally {
    process.argv = before
  }
}

async function runFile(example: Example): Promise<void> {
  const folder = writeExample(example)
  try {
    await import(join(folder, fileOf(example)))
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** Returns the folder of the written example. */
function writeExample(example: Example): string {
  const folder = newExampleFolder()
  const pragma = example.language === 'tsx' ? '/** @jsxRuntime automatic */\n' : ''
  writeFileSync(join(folder, fileOf(example)), pragma + example.code)
  return folder
}

function fileOf({ language }: Example): string {
  return `example.${language}`
}
