import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import {
  folderFilter,
  placeInRepository,
  queryFilter,
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
