import { expect, it } from 'vitest'
import { type ConversationBlock, type FileChange, fileChanges } from '../../../src/entries/index.ts'
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

// A call that writes over a file does not say which lines it replaced. The sum of the turn does.
it('take their lines from the sum if the only call that changed the file does not say them', () => {
  const lines = {
    hunks: [{ oldStart: 1, oldLines: 1, newStart: 1, newLines: 3, lines: ['-a', '+1', '+2', '+3'] }],
  }
  const unknown = (path: string) => ({ ...change(path), added: 0, removed: 0 })
  const sum = (path: string) => ({ ...change(path), added: 3, removed: 1, ...lines })
  const blocks = [
    prompt('p1', sum('a'), sum('b'), sum('c')),
    result('c1', unknown('a'), unknown('b'), { ...change('c'), hunks: [] }),
    result('c2', unknown('b')),
    prompt('p2', sum('d')),
    result('c3', unknown('a')),
  ]
  expect(fileChanges(stateOf([], { blocks })).map(({ path, added, hunks }) => [path, added, hunks])).toEqual([
    ['a', 3, lines.hunks],
    ['b', 0, undefined],
    ['c', 2, []],
    ['b', 0, undefined],
    ['d', 3, lines.hunks],
    ['a', 0, undefined],
  ])
})
