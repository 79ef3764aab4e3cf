import { expect, it } from 'vitest'
import { fileChanges, sessionStatus } from '../../src/entries/index.ts'
import { fold, textOf } from './reports.ts'

const read = (file: string) => fold(textOf(`acp/${file}`))

it('a call that names its child session has the child as its agent', () => {
  const { state, issues } = read('session-content/connection.jsonl')
  const agents = state.subagents.map(({ toolUseId, output, status }) => [toolUseId, output, status])
  expect(agents.sort()).toEqual([
    ['call_left', 'The left part stands.', 'success'],
    ['call_right', 'The right part stands.', 'success'],
  ])
  expect(state.blocks.flatMap((block) => (block.type === 'subagent' ? block.toolUseId : []))).toEqual([
    'call_left',
    'call_right',
  ])
  expect([sessionStatus(state), issues]).toEqual(['finished', []])
})

it('a session with an agent in the background is over with the answer', () => {
  const { state, issues, ending } = read('background-agent/connection.ndjson')
  expect(state.subagents).toMatchObject([{ toolUseId: 'toolu_bg0', status: 'success' }])
  expect([sessionStatus(state), ending, issues]).toEqual(['finished', 'finished', []])
})

it('a call of an MCP tool has its own name, input and output', () => {
  const { state } = read('codex-mcp/connection.ndjson')
  expect(state.blocks.filter(({ type }) => type.startsWith('tool'))).toMatchObject([
    { toolName: 'mcp__shelf__lookup', input: { item: 'tea' }, status: 'complete' },
    { output: 'tea: 3 boxes', isError: false },
    { toolName: 'mcp__shelf__remove', input: { item: 'salt' }, status: 'error' },
    { output: 'salt is locked', isError: true },
  ])
})

it('an edit that the person denied has failed, and changes no file', () => {
  const { state } = read('denied-edit/connection.ndjson')
  expect(state.blocks.filter(({ type }) => type === 'tool_use')).toMatchObject([
    { status: 'complete' },
    { status: 'error' },
  ])
  expect(fileChanges(state).map(({ path }) => path)).toEqual(['/srv/shop/yes.md'])
})
