import { describe, expect, it } from 'vitest'
import { renderTree } from '../../../src/cli/tree-text.ts'
import type { FileChange, SessionEvent, Todo } from '../../../src/entries/index.ts'
import { fold, running, spawn, text, upsert } from '../../core/reducer/example.ts'

function request(id: string, title: string, conversationId = 'main'): SessionEvent {
  return upsert({ type: 'request', id, kind: 'permission', title, status: 'pending' }, conversationId)
}

function plan(todos: readonly Todo[], conversationId = 'main'): SessionEvent {
  return { type: 'todos:updated', conversationId, todos }
}

function changed(toolUseId: string, ...changes: readonly FileChange[]): SessionEvent {
  const block = { type: 'tool_result', id: `${toolUseId}:result`, toolUseId, output: '', changes } as const
  return upsert({ ...block, isError: false, status: 'complete' })
}

const linesOf = (...events: readonly SessionEvent[]) => renderTree(fold(running, ...events), false)

const TODOS: readonly Todo[] = [
  { text: 'Read', status: 'completed' },
  { text: 'Report', status: 'in_progress' },
  { text: 'Old', status: 'cancelled' },
  { text: 'Test', status: 'pending' },
]

describe('the tree', () => {
  it('shows what each agent waits for and plans', () => {
    const lines = linesOf(
      spawn('S', { conversationId: 'main', subagentType: 'reviewer' }),
      request('r1', 'Bash: Touch'),
      request('r2', 'Edit: a.js', 'S'),
      request('r3', 'Bash: rm', 'S'),
      plan(TODOS),
      plan([{ text: 'Look', status: 'pending' }], 'S'),
      upsert(text('t', { content: 'Hi.' }), 'S'),
    )
    expect(lines).toEqual([
      'waiting for you',
      'running main · 2 blocks · 0 tools · in all no tokens known',
      '│  waiting for you: Bash: Touch',
      '│  todos 1/3: Report',
      '└─ running reviewer · 3 blocks · 0 tools',
      '      waiting for you: Edit: a.js',
      '      waiting for you: Bash: rm',
      '      todos 0/1',
      '      “Hi.”',
    ])
  })

  it('shows how full the context of each agent is', () => {
    const usage = { inputTokens: 1200, cacheReadTokens: 30_000, outputTokens: 4 }
    const report = { type: 'usage:reported', final: true } as const
    const lines = linesOf(
      spawn('S', { conversationId: 'main' }),
      spawn('T', { conversationId: 'main' }),
      { ...report, messageId: 'm', usage },
      { ...report, messageId: 'n', usage: { outputTokens: 4 }, conversationId: 'S' },
      { ...report, messageId: 'o', usage: { inputTokens: 7 }, conversationId: 'T', final: false },
    )
    expect(lines[1]).toMatch(/ tokens in, 4 out · in all .* · context 31,204$/)
    expect(lines[2]).toMatch(/ tokens in, 4 out$/)
    expect(lines[3]).toMatch(/ · context ~7$/)
  })

  it('sums up the changed files', () => {
    const change = { path: 'a', kind: 'edit', added: 20, removed: 8 } as const
    const lines = linesOf(
      { type: 'session:updated', facts: { program: 'claude-code', costUsd: 0.0123 } },
      changed('t', change, { path: 'b', kind: 'add', added: 100, removed: 0 }),
      changed('u', change),
    )
    expect(lines[0]).toBe('claude-code · $0.01 · running')
    expect(lines[2]).toBe('   changed: 2 files, +140 −16')
    expect(linesOf(changed('t', change))[2]).toBe('   changed: 1 file, +20 −8')
  })

  it('cuts long titles and todos, and shows no control characters', () => {
    const long = `\u001b[2J\n${'x'.repeat(100_000)}`
    const lines = linesOf(request('r', long), plan([{ text: long, status: 'in_progress' }]))
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThan(130)
    expect(lines.join('')).not.toMatch(/\p{Cc}/u)
  })
})
