import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { byRegistry, byRfc, type Outcome, type Rule, type Setting, simulate } from './simulation.ts'

const SETTINGS: Readonly<Record<string, Setting>> = {
  '1 parent': { parents: 1 },
  '4 parents': { parents: 4 },
  '20 parents': { parents: 20 },
  '100 parents': { parents: 100 },
  '1,000 parents': { parents: 1000 },
  '100, 50 % of prompts in a message of two parts': { parents: 100, wrapped: 0.5 },
  '100, 20 % of prompts rewritten': { parents: 100, rewritten: 0.2 },
  '100, 30 % with one prompt': { parents: 100, samePrompt: 0.3 },
  '100, 5 % too late': { parents: 100, late: 0.05 },
  '100, calls reported up to 2 s late': { parents: 100, lag: 2000 },
  '100, calls reported up to 20 s late': { parents: 100, lag: 20_000 },
  '100, clocks 2 s off': { parents: 100, skew: 2000 },
  '100, clocks 20 s off': { parents: 100, skew: 20_000 },
  '1,000, all of it (2 s late, 2 s off)': {
    parents: 1000,
    wrapped: 0.5,
    rewritten: 0.2,
    samePrompt: 0.3,
    late: 0.05,
    skew: 2000,
    lag: 2000,
  },
}
const byPrompt = byRegistry({})
const byPromptOrNone = byRegistry({ onAmbiguous: 'none' })
const RULES: readonly Rule[] = [byRfc, byPrompt, byPromptOrNone]

const percent = (part: number, whole: number) => ((100 * part) / whole).toFixed(1)
const cell = ({ children, right, wrong, missed, roots, adopted }: Outcome) =>
  [right, wrong, missed]
    .map((part) => percent(part, children))
    .concat(percent(adopted, roots))
    .join(' / ')

describe('linking children by the prompt', () => {
  it.each([1, 4, 20, 100])(
    'links rightly with %i parents at once, and gives no parent to agents without a call',
    (parents) => {
      for (const seed of [1, 2, 3]) {
        const { children, right, wrong, adopted } = simulate({ parents }, byPrompt, seed)
        expect(right / children).toBeGreaterThanOrEqual(0.995)
        expect(wrong / children).toBeLessThanOrEqual(0.003)
        expect(adopted).toBe(0)
      }
    },
  )

  it('makes no link rather than a wrong one if hosts rewrite prompts', () => {
    expect(simulate({ parents: 100, rewritten: 0.2 }, byPrompt).wrong).toBe(0)
  })
})

it('matches the table in docs/lineage.md', () => {
  const rows = Object.entries(SETTINGS).map(
    ([name, setting]) => `| ${[name, ...RULES.map((rule) => cell(simulate(setting, rule)))].join(' | ')} |`,
  )
  const page = readFileSync('docs/lineage.md', 'utf8')
  expect(page).toContain(`${rows.join('\n')}\n`)
})
