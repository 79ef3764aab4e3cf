import { expect, it } from 'vitest'
import { withRows } from '../../../tools/handoff/table.ts'

const order = { sessions: ['One', 'Two'], programs: ['pi', 'codex'] }
const row = (session: string, program: string, cell: string) => ({ session, program, cells: [cell] })
const PAGE = 'Words.\n\n<!-- `npm run handoff` writes this table. -->\n'
const linesOf = (page: string) => page.split('\n').filter((line) => /^\| (?:One|Two|Gone) /.test(line))

it('adds rows in the order of the sessions and programs', () => {
  const page = withRows(PAGE, [row('Two', 'pi', 'x'), row('One', 'codex', 'y'), row('One', 'pi', 'z')], order)
  expect(page.startsWith(PAGE)).toBe(true)
  expect(linesOf(page)).toEqual(['| One | pi | z |', '| One | codex | y |', '| Two | pi | x |'])
})

it('keeps the rows of other programs, and replaces those of the same one', () => {
  const before = withRows(PAGE, [row('One', 'pi', 'old'), row('One', 'codex', 'kept')], order)
  expect(linesOf(withRows(before, [row('One', 'pi', 'new')], order))).toEqual([
    '| One | pi | new |',
    '| One | codex | kept |',
  ])
})

it('drops the rows of sessions that are no more', () => {
  const before = withRows(PAGE, [row('Gone', 'pi', 'x')], { ...order, sessions: ['Gone'] })
  expect(linesOf(withRows(before, [], order))).toEqual([])
})
