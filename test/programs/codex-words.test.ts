import { describe, expect, it } from 'vitest'
import { commandText, isFailureText, isRefusalText } from '../../src/programs/codex/command.ts'
import { reviewText } from '../../src/programs/codex/tool-names.ts'

const finding = (more: object = {}) => ({
  title: 'Wrong sign',
  body: 'It adds.\nIt should subtract.',
  code_location: { absolute_file_path: '/srv/demo/sub.js', line_range: { start: 1, end: 2 } },
  ...more,
})

describe('the words of a review', () => {
  it.each<[string, Readonly<Record<string, unknown>>, string]>([
    ['of a stream', { review: 'Fine.' }, 'Fine.'],
    ['of its begin', { user_facing_hint: 'the last commit' }, 'the last commit'],
    ['without findings', { review_output: { overall_explanation: ' Fine. ' } }, 'Fine.'],
    [
      'with one finding',
      { review_output: { findings: [finding()] } },
      'Review comment:\n\n- Wrong sign — /srv/demo/sub.js:1-2\n  It adds.\n  It should subtract.',
    ],
    [
      'with two findings, of which one has no place and no words',
      { review_output: { overall_explanation: 'Two.', findings: [finding({ body: 'No.' }), {}] } },
      'Two.\n\nFull review comments:\n\n- Wrong sign — /srv/demo/sub.js:1-2\n  No.\n\n-  — :-\n  ',
    ],
  ])('%s', (_, facts, words) => {
    expect(reviewText(facts)).toBe(words)
  })
})

it('knows that a version refuses a tool of another one', () => {
  const texts = ['unsupported call: spawn_agent', 'unsupported custom tool call: apply_patch', 'unsupported']
  expect(texts.map(isFailureText)).toEqual([true, true, false])
})

describe('the text of a command', () => {
  it.each<[string, unknown, string]>([
    ['a list with a shell around it', ['bash', '-lc', 'ls -a'], 'ls -a'],
    ['a line with a shell around it', `bash -lc 'ls -a'`, 'ls -a'],
    ['a line with double quotes', '/bin/bash -lc "echo \\"a b\\" \\$HOME"', 'echo "a b" $HOME'],
    ['a line with an escaped space', 'bash -lc ls\\ -a', 'ls -a'],
    ['a line with parts of one word', `bash -lc 'ls '"-a"`, 'ls -a'],
    ['a line whose quote is open', `bash -lc 'ls`, `bash -lc 'ls`],
    ['another line', 'git status ', 'git status '],
  ])('of %s', (_, command, text) => {
    expect(commandText(command)).toBe(text)
  })
})

it('knows a refusal by how the text begins, and not by words in an output', () => {
  const refusals = [
    'rejected by user',
    'patch rejected by user',
    'exec command rejected by user',
    'exec_command failed: CreateProcess { message: "Rejected(\\"rejected by user\\")" }',
  ]
  expect(refusals.map(isRefusalText)).toEqual([true, true, true, true])
  expect(isRefusalText('log.txt: the merge was rejected by user ada')).toBe(false)
})
