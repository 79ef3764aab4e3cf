import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import {
  folderFilter,
  placeInRepository,
  queryFilter,
  requiredTime,
  timeOf,
} from '../../../src/node/session-index/session-filter.ts'

// A folder is what a session's file says, so it may be any text.
it.each([
  ['too long for a file', `/home/ann/${'a'.repeat(300)}`],
  ['too long for a path', `/home/ann/${'a/'.repeat(1_000_000)}`],
  ['with a character that no name has', '/home/ann/\0'],
  ['below a file', '/dev/null/a'],
  ['of another system', 'C:\\work\\demo'],
  ['without a repository', join(tmpdir(), 'nothing', 'there')],
  ['empty', ''],
])('asks for a folder %s as for one that is not there', (_, cwd) => {
  expect(placeInRepository(cwd)).toBeUndefined()
  expect(folderFilter('/srv/other')({ cwd })).toBe(false)
})

it.each([
  ['opencode', { program: 'OpenCode', format: 'opencode' }, true],
  ['opencode', { program: 'kilo', format: 'opencode' }, false],
  ['OpenCode', { format: 'opencode' }, true],
  ['kilo', { format: 'opencode' }, false],
  ['omp', { program: 'oh-my-pi', format: 'pi' }, true],
  ['claude-code', { format: 'claude-sdk' }, true],
  ['claude-sdk', { program: 'claude-code', format: 'claude-sdk' }, true],
  ['acp', { program: 'grok', format: 'acp' }, true],
  ['my-agent', { program: 'My-Agent', format: 'acp' }, true],
] as const)('the program %s: %j is one of its sessions: %s', (program, session, isIts) => {
  expect(queryFilter({ program }, 0)(session)).toBe(isIts)
})

const now = Date.parse('2026-11-30T12:00:00Z')

it.each([
  ['7d', '2026-11-23T12:00:00Z'],
  ['12h', '2026-11-30T00:00:00Z'],
  ['2026-11-01', '2026-11-01T00:00:00Z'],
  ['2024-02-29', '2024-02-29T00:00:00Z'],
  ['2026-11-01T10:20', '2026-11-01T10:20:00Z'],
  ['2026-11-01 10:20:30', '2026-11-01T10:20:30Z'],
  ['2026-11-01T10:20:30.5Z', '2026-11-01T10:20:30.500Z'],
  ['2026-11-01T10:20+02:00', '2026-11-01T08:20:00Z'],
  [Date.parse('2026-11-01'), '2026-11-01T00:00:00Z'],
  [new Date('2026-11-01'), '2026-11-01T00:00:00Z'],
])('takes %j as a time', (time, expected) => {
  expect(timeOf(time, now)).toBe(Date.parse(expected))
})

// `Date.parse` reads a date into most of them, and the sums were those of all sessions.
it.each([
  ...[
    '7',
    '2026',
    '2026-11',
    'last 7',
    'week 1',
    'foo 1',
    '2026-02-30',
    '2026-13-01',
    '0000-00-00',
    'soon',
    '',
  ],
  ...['2026-11-01T', '2026-11-01T25:00', '2026-11-01T10:20+99:99', '7 d', '-7d', '1.5d', '7D', '2026-11-01x'],
  ...['999999999999d', `${'9'.repeat(400)}w`, Number.NaN, 1e300, -1e15, new Date(Number.NaN)],
])('refuses %j as a time, with a code', (time) => {
  expect(timeOf(time, now)).toBeUndefined()
  for (const name of ['since', 'until'])
    expect(() => queryFilter({ [name]: time }, now)).toThrow(
      expect.objectContaining({ name: 'TypeError', code: 'invalid-time' }),
    )
  expect(() => requiredTime(time, now, 'until')).toThrow('until: pass an age such as 7d')
})
