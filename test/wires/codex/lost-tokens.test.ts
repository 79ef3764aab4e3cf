import { expect, it } from 'vitest'
import { codexSource } from '../../../src/wires/codex/source.ts'
import type { Fields } from './made-lines.ts'

const lineOf = (type: string, payload: Fields): Fields => ({
  timestamp: '2026-03-01T10:00:00.000Z',
  type,
  payload,
})
const tokens = (input: number, output: number): Fields => ({
  input_tokens: input,
  output_tokens: output,
  total_tokens: input + output,
})
const count = (last: Fields, total: Fields) =>
  lineOf('event_msg', { type: 'token_count', info: { last_token_usage: last, total_token_usage: total } })

const usageOf = (lines: readonly Fields[], meta: Fields = {}) => {
  const head = lineOf('session_meta', { id: 't', cwd: '/srv/demo', cli_version: '0.130.0', ...meta })
  return codexSource
    .read(codexSource.open(), [head, ...lines])
    .session.state.usage.map(({ inputTokens, outputTokens }) => [inputTokens, outputTokens])
}

// A report was not written, so its tokens are in the next total alone.
it('counts the tokens that the total of the thread has and the last reply lacks', () => {
  const first = count(tokens(10, 1), tokens(10, 1))
  expect(usageOf([first, count(tokens(20, 2), tokens(60, 8))])).toEqual([
    [10, 1],
    [50, 7],
  ])
  expect(usageOf([first, count(tokens(20, 2), tokens(30, 3))])).toEqual([
    [10, 1],
    [20, 2],
  ])
})

it('does not count the tokens of the thread that a fork goes on from', () => {
  const first = count(tokens(10, 1), tokens(500, 50))
  expect(usageOf([first, count(tokens(20, 2), tokens(560, 60))])).toEqual([
    [10, 1],
    [20, 2],
  ])
})
