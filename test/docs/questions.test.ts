import { cpSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { temporaryFolder } from '../cli/temporary.ts'
import { agentfold } from '../cli/terminal.ts'
import { pageAt } from './pages.ts'

const page = pageAt('docs/questions.md')

/** The commands of the page with their outputs. */
const examples = [...page.matchAll(/```sh\nagentfold ([^\n]*)\n```\n\n```(?:text|json|csv)\n(.*?)```/gs)].map(
  ([, command = '', output = '']) => [command, output] as const,
)

const fixtures = join(import.meta.dirname, '../../fixtures')

/** The recordings of the page, and the places where their programs keep them. */
const RECORDINGS = [
  ['claude-code-requests/06-edits/transcript/-srv-demo', '.claude/projects/edits'],
  ['claude-code-requests/09-question/transcript/-srv-demo', '.claude/projects/question'],
  ['claude-code-requests/11-cost/transcript/-srv-demo', '.claude/projects/cost'],
  ['claude-code/08c-subagent-fails/transcript/-srv-demo', '.claude/projects/fails'],
  ['claude-code/08g-fatal-400/transcript/-srv-demo', '.claude/projects/fatal'],
  ['codex/03-commands/sessions', '.codex/sessions'],
] as const

const { inFolder } = temporaryFolder()
const home = () => inFolder('home')
const now = () => Date.UTC(2026, 10, 24)

beforeAll(() => {
  for (const [from, to] of RECORDINGS) {
    mkdirSync(inFolder('home', to), { recursive: true })
    cpSync(join(fixtures, from), inFolder('home', to), { recursive: true })
  }
})

/** Splits a line of a shell without variables. */
function wordsOf(command: string): readonly string[] {
  return [...command.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '')
}

describe('docs/questions.md', () => {
  it('has an example for each question', () => {
    expect(examples.length).toBeGreaterThanOrEqual(10)
    expect(page.match(/^## .*\?$/gm)?.length).toBe(examples.length)
  })

  it.each(examples)('agentfold %s', async (command, output) => {
    for (const index of [[], ['--no-index']]) {
      const isOfOne = /^(cost|show)/.test(command)
      const args = [...wordsOf(command), ...(isOfOne ? [] : index)]
      const { code, out } = await agentfold(args, { home: home(), now, columns: 120 })
      expect(code).toBe(0)
      expect(out.replaceAll(home(), '/home/me').replaceAll('\r\n', '\n')).toBe(output)
    }
  })
})
