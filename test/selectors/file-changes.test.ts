import { expect, it } from 'vitest'
import { type ConversationBlock, type FileChange, fileChanges } from '../../src/index.ts'
import { agent, stateOf } from './agents.ts'

const change = (path: string, kind: FileChange['kind'] = 'edit'): FileChange => ({
  path,
  kind,
  added: 2,
  removed: 1,
})

function result(toolUseId: string, ...changes: readonly FileChange[]): ConversationBlock {
  const base = {
    type: 'tool_result',
    id: `${toolUseId}:result`,
    conversationId: 'main',
    status: 'complete',
  } as const
  return { ...base, toolUseId, output: '', isError: false, ...(changes.length > 0 && { changes }) }
}

function prompt(id: string, ...changes: readonly FileChange[]): ConversationBlock {
  const base = {
    type: 'user_message',
    id,
    conversationId: 'main',
    status: 'complete',
    content: 'Go.',
  } as const
  return { ...base, ...(changes.length > 0 && { changes }) }
}

const pathsOf = (...args: Parameters<typeof fileChanges>) =>
  fileChanges(...args).map(({ path, conversationId, toolUseId }) => [path, conversationId, toolUseId])

it('are those of the calls, in order, with their agent', () => {
  const blocks = [
    prompt('p'),
    result('c1', change('a'), change('b', 'add')),
    result('c2'),
    result('c3', change('a')),
  ]
  const state = stateOf([agent('S', 'main', { blocks: [result('c4', change('d'))] })], { blocks })
  expect(fileChanges(state)[0]).toEqual({ ...change('a'), conversationId: 'main', toolUseId: 'c1' })
  expect(pathsOf(state)).toEqual([
    ['a', 'main', 'c1'],
    ['b', 'main', 'c1'],
    ['a', 'main', 'c3'],
    ['d', 'S', 'c4'],
  ])
})

it('of a turn’s sum are those that no call of the turn and no subagent has', () => {
  const blocks = [
    prompt('p1', change('a'), change('gone', 'delete'), change('d')),
    result('c1', change('a')),
    prompt('p2', change('a'), change('e')),
  ]
  const state = stateOf([agent('S', 'main', { blocks: [result('c4', change('d'))] })], { blocks })
  expect(pathsOf(state)).toEqual([
    ['gone', 'main', undefined],
    ['a', 'main', 'c1'],
    ['a', 'main', undefined],
    ['e', 'main', undefined],
    ['d', 'S', 'c4'],
  ])
})

it('of an empty session are none', () => {
  expect(fileChanges(stateOf([]))).toEqual([])
})
