import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { omitUndefined } from '../../../src/core/json/fields.ts'
import type { ConversationBlock } from '../../../src/core/state/block.ts'
import type { FileChange } from '../../../src/core/state/file-change.ts'
import { sessionLog } from '../../../src/entries/arbitraries.ts'
import { createInitialConversationState, type SessionConversationState } from '../../../src/entries/index.ts'
import { changesInPatch } from '../../../src/programs/diff.ts'
import { writablePrograms } from '../../../src/sinks/writers/targets/all.ts'
import { stateAt, writeSession } from '../../../src/sinks/writers/write-session.ts'
import { fold } from '../../core/reducer/example.ts'
import { depth, runs } from '../../depth.ts'
import { unrulyEvents } from '../../unruly-events.ts'
import { readBack } from './read-back.ts'

const EMPTY = createInitialConversationState()

function stateOf(blocks: readonly ConversationBlock[], id = 'session'): SessionConversationState {
  return { ...EMPTY, blocks, session: { id, program: 'claude-code', cwd: '/srv/demo' } }
}

const BASE = { conversationId: 'main', status: 'complete' } as const

function prompt(id: string, content = 'Hello'): ConversationBlock {
  return { ...BASE, type: 'user_message', id, content }
}

function agentBlock(toolUseId: string): ConversationBlock {
  const status = 'success'
  return { ...BASE, status, type: 'subagent', id: `subagent:${toolUseId}`, toolUseId, input: 'Look' }
}

/** Ids that lead out of a folder, or that no file may have. */
const IDS = ['../../escape', 'a/b', '..', '', 'C:\\x', 'nul\u0000', '__proto__', '.hidden', 'x'.repeat(5_000)]

const DIFF = '--- /w/a.ts\n+++ /w/a.ts\n@@ -1,1 +1,1 @@\n-old\n+new\n'

/** Calls that have a diff as one of their fields, and change no file. */
const CALLS = [
  ['mcp__review__post_comment', { changes: ['please'], diff: DIFF, comment: 'Do not merge this' }],
  ['mcp__review__post_comment', { changes: [{ path: '/w/a.ts', kind: 'update' }], diff: DIFF }],
  ['mcp__review__compare', { changes: [], diff: 'main..feature' }],
] as const

/** Calls with the name for a patch, and another shape. */
const NAMESAKES = [
  ['file_change', { changes: [{ path: '/w/a.ts', kind: 'update' }], diff: DIFF, comment: 'Do not merge' }],
  ['file_change', { changes: [{ path: '/w/b.ts', kind: 'update' }], diff: DIFF }],
  ['file_change', { changes: [{ path: '/w/a.ts' }], diff: DIFF }],
  ['file_change', { changes: [], diff: 'main..feature' }],
] as const

function stateOfCall(
  toolName: string,
  input: unknown,
  changes?: readonly FileChange[],
): SessionConversationState {
  const call = { ...BASE, id: 'c', toolUseId: 'c', type: 'tool_use', toolName, input } as const
  const result = {
    ...BASE,
    id: 'r',
    toolUseId: 'c',
    type: 'tool_result',
    output: 'Done',
    isError: false,
    ...omitUndefined({ changes }),
  } as const
  return stateOf([prompt('p'), call, result])
}

const PATH = /^(?:[\w-]+(?:\.[\w-]+)*\/)*[\w-]+(?:\.[\w-]+)+$/

describe.each(writablePrograms())('a session for %s', (program) => {
  const write = (state: SessionConversationState) => writeSession(state, { program, cwd: '/srv/demo' })

  it.each(IDS)('has safe paths for the id %j', (id) => {
    const agents = [
      { toolUseId: id, agentId: id, name: id, status: 'success', blocks: [], usage: [] } as const,
    ]
    const state = { ...stateOf([prompt(id), agentBlock(id)], id), subagents: agents }
    for (const path of Object.keys(write(state).files)) {
      expect(path).toMatch(PATH)
      expect(path.length).toBeLessThan(250)
    }
  })

  it('is the same for an empty state, whatever made it', () => {
    const { files, losses } = writeSession(EMPTY, { program, cwd: '/srv/demo' })
    expect(Object.keys(files).length).toBeGreaterThan(0)
    expect(losses).toEqual([])
  })

  it('holds many blocks', () => {
    const count = depth({ few: 300, all: 3_000 })
    const blocks = Array.from({ length: count }, (_, at) => prompt(`p${at}`, `Prompt ${at}`))
    const { blocks: back } = readBack(program, write(stateOf(blocks)))
    expect(back.filter(({ type }) => type === 'user_message')).toHaveLength(count)
  })

  it('has a result for a call that still ran, and says so', () => {
    const call = {
      ...BASE,
      status: 'pending',
      type: 'tool_use',
      id: 'c',
      toolUseId: 'c',
      toolName: 'Bash',
    } as const
    const written = write(stateOf([prompt('p'), { ...call, input: { command: 'ls' } }]))
    expect(written.losses).toEqual([{ kind: 'running-call', count: 1, places: ['main'] }])
    const result = readBack(program, written).blocks.find(({ type }) => type === 'tool_result')
    expect(JSON.stringify(result)).toContain('The session was cut here')
  })

  it('is written and read for whatever a log of events made', () => {
    const isSafe = (state: SessionConversationState) => {
      const written = write(state)
      for (const path of Object.keys(written.files)) expect(path).toMatch(PATH)
      expect(readBack(program, written).blocks).toBeDefined()
      expect(JSON.stringify(write(structuredClone(state)))).toBe(JSON.stringify(written))
    }
    fc.assert(
      fc.property(fc.oneof(sessionLog(), unrulyEvents()), (log) => isSafe(fold(...log))),
      { numRuns: runs(40) },
    )
  })

  it.each(program === 'claude-code' ? [...CALLS, ...NAMESAKES] : CALLS)(
    'leaves a call of %s with %j as it is',
    (name, input) => {
      const written = write(stateOfCall(name, input))
      expect(written.losses.filter(({ kind }) => kind === 'file-changes')).toEqual([])
      const call = readBack(program, written).blocks.find(({ type }) => type === 'tool_use')
      expect(call).toMatchObject({ toolName: name, input })
    },
  )

  it('keeps the lines that the result of a call with any name states', () => {
    const input = { changes: [{ path: '/w/a.ts', kind: 'update' }] }
    const written = write(stateOfCall('replace', input, changesInPatch(DIFF)))
    expect(JSON.stringify(readBack(program, written).blocks)).toMatch(/old.*new/)
  })

  it('never reads an id as a field', () => {
    const state = stateOf([prompt('__proto__'), prompt('constructor'), agentBlock('toString')])
    expect(() => write(state)).not.toThrow()
  })
})

describe('writeSession', () => {
  it('names the programs that it can write', () => {
    expect(() => writeSession(EMPTY, { program: 'emacs', cwd: '/srv/demo' })).toThrow(
      /use one of claude-code, codex/,
    )
  })

  it('asks for a folder if the session has none', () => {
    expect(() => writeSession(EMPTY, { program: 'codex' })).toThrow(RangeError)
  })

  it('gives a session that has grown another id', () => {
    const one = writeSession(stateOf([prompt('p')]), { program: 'codex' })
    const two = writeSession(stateOf([prompt('p'), prompt('q')]), { program: 'codex' })
    expect(Object.keys(one.files)).not.toEqual(Object.keys(two.files))
  })
})

describe('stateAt', () => {
  const inner: ConversationBlock = { ...prompt('inner'), conversationId: 'agent' }
  const agent = {
    toolUseId: 'agent',
    status: 'success',
    output: 'Done',
    blocks: [inner, { ...prompt('later'), conversationId: 'agent' }],
    usage: [],
  } as const
  const state = { ...stateOf([prompt('p'), agentBlock('agent'), prompt('q')]), subagents: [agent] }

  it('cuts behind a block of main', () => {
    expect(stateAt(state, 'p')).toMatchObject({ blocks: [{ id: 'p' }], subagents: [] })
  })

  it('keeps an agent that was called earlier, as it was at its end', () => {
    expect(stateAt(state, 'subagent:agent')?.subagents).toEqual([agent])
  })

  it('leaves an agent running at a block of its own', () => {
    const cut = stateAt(state, 'inner')
    expect(cut?.blocks.map(({ id }) => id)).toEqual(['p', 'subagent:agent'])
    expect(cut?.subagents).toEqual([{ toolUseId: 'agent', status: 'running', blocks: [inner], usage: [] }])
  })

  it('knows no block of another session', () => {
    expect(stateAt(state, 'elsewhere')).toBeUndefined()
  })
})
