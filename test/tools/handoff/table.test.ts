import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { rowLine, rowsOf, withRows, withTables } from '../../../tools/handoff/table.ts'
import { pageAt, ROOT } from '../../docs/pages.ts'

const order = { sessions: ['One', 'Two'], programs: ['pi', 'codex'] }
const row = (session: string, program: string, ...cells: readonly string[]) => ({ session, program, cells })
const PAGE = 'Words.\n\n<!-- `npm run handoff` writes these tables. -->\n'

it('adds rows in the order of the sessions and programs', () => {
  const rows = withRows([], [row('Two', 'pi', 'x'), row('One', 'codex', 'y'), row('One', 'pi', 'z')], order)
  expect(rows).toEqual([row('One', 'pi', 'z'), row('One', 'codex', 'y'), row('Two', 'pi', 'x')])
})

it('keeps the rows of other programs, and replaces those of the same one', () => {
  const known = [row('One', 'pi', 'old'), row('One', 'codex', 'kept')]
  expect(withRows(known, [row('One', 'pi', 'new')], order)).toEqual([
    row('One', 'pi', 'new'),
    row('One', 'codex', 'kept'),
  ])
})

it('drops the rows of sessions that are no more', () => {
  expect(withRows([row('Gone', 'pi', 'x')], [], order)).toEqual([])
})

it('reads the rows that it writes', () => {
  const rows = [row('One', 'pi', '1/1', '–'), row('Two', 'codex', '0/2', 'usage 1')]
  expect(rowsOf(`${rows.map(rowLine).join('\n')}\n`)).toEqual(rows)
})

it('shows the pairs of programs with each missing part, stopped agent and loss, and the tokens as no loss', () => {
  const page = withTables(PAGE, [
    row('One: plain', 'pi', '1/1', '2/2', '0/0', '0/0', '–', 'usage 1'),
    row('One: plain', 'codex', '0/1', '2/2', '3/3', '1/3', '2/3, 1 of 2 did not go on', 'usage 1, plan 2'),
    row('One: more', 'codex', '1/1', '2/2', '3/3', '3/3', '4/4', 'usage 1, failure-mark 1'),
    row('Two: plain', 'pi', '–', '–', '–', '–', '–', 'the program refuses it'),
    row('Two: plain', 'codex', '1/1', '2/2', '0/0', '0/0', '–', 'usage 1'),
    row('Two: plain', 'kimi', '1/1', '2/2', '0/0', '0/0', '–', 'usage 2'),
    row('Two: plain', 'codex → kimi', '2/2', '2/3', '0/0', '0/0', '–', 'usage 1, thinking 1; back: plan 1'),
  ])
  expect(page.startsWith(PAGE)).toBe(true)
  expect(page).toContain('\n| One | `pi` | all | – | – |\n')
  expect(page).toContain(
    '\n| One | `codex` | all but 1 prompt, 2 results | 1 part missing, 1 did not go on | failure-mark, plan |\n',
  )
  expect(page).toContain('\n| Two | `pi` | all; 1 refused | – | – |\n')
  expect(page).toContain('\n| Two | `codex`, `kimi` | all | – | – |\n')
  expect(page.split('## There and back')[1]).toContain(
    '\n| Two | `codex → kimi` | all but 1 text | – | plan, thinking |\n',
  )
  expect(withTables(page, [])).not.toContain('| One |')
})

it('has made the tables of the page from the results', () => {
  const page = pageAt('docs/handoff-results.md')
  const rows = rowsOf(readFileSync(join(ROOT, 'tools/handoff/results.tsv'), 'utf8'))
  expect(withTables(page, rows)).toBe(page)
})
