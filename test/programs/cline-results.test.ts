import { describe, expect, it } from 'vitest'
import { fileChangesOf, readAgentResult, readResult } from '../../src/programs/cline/tool-result.ts'

describe('the result of a call of Cline', () => {
  it.each<[string, unknown, object]>([
    [
      'of commands',
      [
        { query: 'ls', success: true, result: 'a' },
        { query: 'pwd', success: true, result: 'b' },
      ],
      { output: 'a\nb', isError: false, exitCode: undefined },
    ],
    [
      'of a command that failed',
      [{ query: 'ls', success: false, result: '', error: 'exited with code -2' }],
      { output: 'exited with code -2', isError: true, exitCode: -2 },
    ],
    [
      'of a command without output',
      [{ query: 'ls', success: true }],
      { output: '', isError: false, exitCode: undefined },
    ],
    [
      'of a tool with data',
      [{ query: 'q', success: true, result: { rows: 1 } }],
      { output: { rows: 1 }, isError: false, exitCode: undefined },
    ],
    [
      'of two tools with data',
      [
        { query: 'q', success: true, result: { rows: 1 } },
        { query: 'r', success: true, result: 'x' },
      ],
      { output: [{ rows: 1 }, 'x'], isError: false, exitCode: undefined },
    ],
    [
      'of an MCP tool',
      {
        content: [
          { type: 'text', text: 'a' },
          { type: 'text', text: 'b' },
        ],
        isError: true,
      },
      { output: 'a\nb', isError: true },
    ],
    [
      'of an MCP tool with an image',
      { content: [{ type: 'image', data: 'AAAA' }] },
      { output: [{ type: 'image', data: 'AAAA' }], isError: false },
    ],
    ['as the text of an object', '{"success":false}', { output: { success: false }, isError: true }],
    ['as a text that begins like an object', '{no', { output: '{no', isError: false }],
    ['that is an error', { error: 'no such tool' }, { output: 'no such tool', isError: true }],
    ['of a list that is empty', [], { output: [], isError: false }],
  ])('%s is read', (_, result, expected) => {
    expect(readResult(result)).toEqual(expected)
  })

  it.each<[string, unknown, string | undefined, readonly string[]]>([
    ['a new file', 'File created: a.md', 'one\ntwo', ['+one', '+two']],
    ['a new file whose text is not known', 'File created: a.md', undefined, []],
    ['an edit', 'Done.\n```diff\n-3: old\n+3: new\n 4: same\n```', 'new', ['-old', '+new', ' same']],
    ['an edit without a diff', 'Done.', 'new', []],
    ['an edit whose output is no text', { ok: true }, 'new', []],
  ])('shows the lines of %s', (_, output, text, lines) => {
    const call = { toolName: 'editor', input: { path: 'a.md', new_text: text } }
    const [change] = fileChangesOf({ call, output, record: {} }) ?? []
    expect(change?.path).toBe('a.md')
    expect((change?.hunks ?? []).flatMap((hunk) => hunk.lines)).toEqual(lines)
  })

  it('has no changes if another tool was called, or no path is known', () => {
    expect(
      fileChangesOf({ call: { toolName: 'search', input: { path: 'a' } }, output: '', record: {} }),
    ).toBeUndefined()
    expect(fileChangesOf({ call: { toolName: 'editor', input: {} }, output: '', record: {} })).toBeUndefined()
  })

  it.each<[string, string, unknown, object]>([
    [
      'a report',
      'spawn_agent',
      { text: 'Done.', finishReason: 'completed' },
      { isLaunch: false, isError: false, report: 'Done.' },
    ],
    [
      'an agent that failed',
      'spawn_agent',
      { text: 'Half.', finishReason: 'error' },
      { isLaunch: false, isError: true, report: 'Half.' },
    ],
    ['a teammate that works on', 'team_run_task', { mode: 'async' }, { isLaunch: true, isError: false }],
    [
      'a teammate that has worked',
      'team_run_task',
      { mode: 'sync', text: 'Done.' },
      { isLaunch: false, isError: false, report: 'Done.' },
    ],
    ['a text alone', 'spawn_agent', 'Done.', { isLaunch: false, isError: false, report: 'Done.' }],
  ])('tells %s', (_, tool, result, expected) => {
    expect(readAgentResult(tool, result)).toMatchObject(expected)
  })
})
