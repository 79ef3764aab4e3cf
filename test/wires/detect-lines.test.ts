import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { detectArchitecture } from '../../src/entries/index.ts'
import { FOLDERS } from './fixture-folders.ts'

const FIXTURES = join(import.meta.dirname, '../../fixtures')

const files = readdirSync(FIXTURES, { recursive: true, encoding: 'utf8' }).filter((path) =>
  /\.(ndjson|jsonl)$/.test(path),
)

/** Lines of the client, which no program wrote. */
const isOutput = (path: string) => !/stdin/.test(path)

it('no line of a recording is taken for another program', () => {
  const wrong = new Map<string, number>()
  for (const path of files.filter(isOutput)) {
    const own = FOLDERS.find(([folder]) => folder.test(path))?.[1]
    for (const line of readFileSync(join(FIXTURES, path), 'utf8').split('\n')) {
      const found = detectArchitecture(line)
      if (found !== undefined && found !== own)
        wrong.set(`${path}: ${found}`, (wrong.get(`${path}: ${found}`) ?? 0) + 1)
    }
  }
  expect([...wrong]).toEqual([])
})

it.each(files.filter((path) => /^(?:codex|acp)\//.test(path)))('%s is found to be of its format', (path) => {
  const own = FOLDERS.find(([folder]) => folder.test(path))?.[1]
  expect(detectArchitecture(readFileSync(join(FIXTURES, path), 'utf8'))).toBe(own)
})
