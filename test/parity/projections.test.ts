import { describe, expect, it } from 'vitest'
import type { ConversationBlock, ProjectionKind, Side } from '../../src/index.ts'
import {
  answered,
  called,
  comparison,
  failed,
  type Held,
  noted,
  type Program,
  pending,
  said,
  skill,
  spawned,
  subagent,
  thought,
  tokens,
  told,
} from './states.ts'

/** What one side has more than the other. */
interface Example {
  readonly side: Side
  readonly more: Held
  readonly less?: Held
  readonly program?: Program
}
type Examples = readonly (readonly [string, Example])[]

const compared = ({ side, more, less = [], program }: Example) =>
  comparison(side === 'live' ? { live: more, stored: less } : { live: less, stored: more }, program)

const live = (more: Held, less: Held = [], program: Program = 'claude-code'): Example => ({
  side: 'live',
  more,
  less,
  program,
})
const stored = (more: Held, less: Held = [], program: Program = 'claude-code'): Example => ({
  ...live(more, less, program),
  side: 'stored',
})

const sub = (...blocks: readonly ConversationBlock[]) => ({ subagents: [subagent('t1', blocks)] })
/** The subagent has these blocks beside a call that both sides have. */
const beside = (...blocks: readonly ConversationBlock[]) => sub(called('c1'), ...blocks)

function examples(
  kind: ProjectionKind,
  { left, told }: { readonly left: Examples; readonly told: Examples },
): void {
  describe(kind, () => {
    it.each(left)('is left out, and counted on its side: %s', (_, example) => {
      expect(compared(example)).toStrictEqual({
        differences: [],
        projected: [{ kind, side: example.side, count: 1 }],
      })
    })

    it.each(told)('is not what only looks like it: %s', (_, example) => {
      const { differences, projected } = compared(example)
      expect(differences).not.toEqual([])
      expect(projected.map((each) => each.kind)).not.toContain(kind)
    })
  })
}

examples('unfinished', {
  left: [
    ['a text that was being streamed', live([pending(said('a'))])],
    ['a call without its result', stored([pending(called('t1'))])],
    ['of a program that nobody knows', live([pending(said('a'))], [], 'unknown')],
    ['an agent’s call', stored([spawned('t1', { status: 'running' })])],
    ['in a subagent', live(beside(pending(said('b'))), beside())],
    ['a subagent that runs', live({ subagents: [subagent('t1', [], { status: 'running' })] })],
    ['one that was announced', stored({ subagents: [subagent('t1', [], { status: 'pending' })] })],
    [
      'what both were still building, each as far as it had come',
      live([pending(said('a', 'Half'))], [pending(said('a', 'Ha'))]),
    ],
  ],
  told: [
    ['a finished text', live([said('a')])],
    ['a call that failed', live([{ ...called('t1'), status: 'error' }])],
    ['a subagent that failed', live({ subagents: [subagent('t1', [], { status: 'error' })] })],
    ['what the other side has finished', live([pending(said('a'))], [said('a')])],
  ],
})

examples('prompt', {
  left: [
    ['of Claude Code', stored([told('p')])],
    ['of OpenCode', stored([told('p')], [], 'opencode')],
    [
      'beside what the program said in the stream',
      stored([told('n', 'summary'), told('p')], [told('n', 'summary')]),
    ],
  ],
  told: [
    ['the stream has another one', stored([told('a'), told('b')], [told('a')])],
    ['it was not stored', live([told('p')])],
    ['nobody knows the program', stored([told('p')], [], 'unknown')],
    ['the model said it', stored([said('p')])],
  ],
})

examples('program-note', {
  left: [
    ['a command', stored([told('n', 'command')])],
    ['a notification', stored([told('n', 'notification')])],
    ['what is for the model alone', stored([told('n', 'meta')])],
    ['in the stream', live([told('n', 'meta')])],
    ['to a subagent', stored(beside(told('n', 'meta')), beside())],
  ],
  told: [
    ['a summary', stored([told('n', 'summary')])],
    ['a summary in the stream', live([told('n', 'summary')])],
    ['of OpenCode, where both sides have it', stored([told('n', 'meta')], [], 'opencode')],
    ['of nobody', stored([told('n', 'meta')], [], 'unknown')],
  ],
})

examples('system-note', {
  left: [
    ['a hook, stored', stored([noted('hook')])],
    ['a hook in the stream', live([noted('hook')])],
    ['a retry of OpenCode', live([noted('retry')], [], 'opencode')],
    ['what the program says in the model’s place', stored([noted('synthetic')])],
    ['a kind that nobody knows', live([noted('tea_break')])],
    ['the interruption of a subagent', stored(beside(noted('interruption')), beside())],
  ],
  told: [
    ['main’s interruption, stored', stored([noted('interruption')])],
    ['main’s interruption in the stream', live([noted('interruption', 'm1:error')], [], 'opencode')],
    ['a compaction', stored([noted('compaction')])],
    ['a subagent’s compaction', live(beside(noted('compaction')), beside())],
    ['a revert', live([noted('revert')], [], 'opencode')],
    ['a hook of nobody', live([noted('hook')], [], 'unknown')],
    ['a skill', live([skill])],
  ],
})

examples('turn-failure', {
  left: [
    ['a result’s', live([failed('a', 'error_during_execution')])],
    ['of too many turns', live([failed('a', 'error_max_turns')])],
    [
      'a session’s of OpenCode that ended no message',
      live([failed('evt_1', 'UnknownError')], [], 'opencode'),
    ],
  ],
  told: [
    ['one that was stored', stored([failed('a', 'error_during_execution')])],
    ['an API error', live([failed('m1:0', 'invalid_request_error')])],
    ['one without a code', live([failed('m1:0')])],
    ['a message’s of OpenCode', live([failed('msg_1:error', 'APIError')], [], 'opencode')],
    ['a stored one of OpenCode', stored([failed('evt_1', 'APIError')], [], 'opencode')],
  ],
})

examples('thinking', {
  left: [['main’s, where the stream has none', stored([thought('a')], [], 'opencode')]],
  told: [
    ['the stream has some', stored([thought('a'), thought('b')], [thought('b')], 'opencode')],
    ['it was not stored', live([thought('a')], [], 'opencode')],
    ['of Claude Code, whose stream has it', stored([thought('a')])],
    ['a subagent’s', stored(beside(thought('a')), beside(), 'opencode')],
    ['a text', stored([said('a')], [], 'opencode')],
  ],
})

examples('subagent-prompt', {
  left: [['what a subagent was told', stored(beside(told('t1:prompt')), beside())]],
  told: [
    ['it was not stored', live(beside(told('t1:prompt')), beside())],
    ['of OpenCode, whose bus has it', stored(beside(told('p')), beside(), 'opencode')],
    ['its compaction’s summary', stored(beside(told('p', 'summary')), beside())],
  ],
})

examples('subagent-text', {
  left: [
    ['text', stored(beside(said('a')), beside())],
    ['thinking', stored(beside(thought('a')), beside())],
    ['what the program says in the model’s place', stored(beside(failed('a')), beside())],
  ],
  told: [
    ['the stream has another text of it', stored(beside(said('a'), said('b')), beside(said('b')))],
    ['the stream has its thinking', stored(beside(said('a'), thought('b')), beside(thought('b')))],
    ['it was not stored', live(beside(said('a')), beside())],
    ['of OpenCode, whose bus has it', stored(beside(said('a')), beside(), 'opencode')],
    ['main’s', stored([called('c1'), said('a')], [called('c1')])],
    ['a call', stored(beside(called('c2')), beside())],
    ['an output', stored(beside(answered('c1')), beside())],
  ],
})

examples('subagent-conversation', {
  left: [
    ['of Claude Code', stored(sub(called('c1')), sub())],
    ['of OpenCode', stored(sub(answered('c1')), sub(), 'opencode')],
    [
      'a subagent that it started',
      stored(
        { subagents: [subagent('t1'), subagent('t2', [said('a')], { parentConversationId: 't1' })] },
        { subagents: [subagent('t1')] },
      ),
    ],
  ],
  told: [
    ['the stream has something of it', stored(sub(called('c1'), called('c2')), sub(called('c1')))],
    ['it was not stored', live(sub(called('c1')), sub())],
    ['main’s', stored([called('c1')])],
    ['a subagent that main started', stored({ subagents: [subagent('t1', [said('a')])] })],
    [
      'a subagent of one that the stream has something of',
      stored(
        { subagents: [...beside().subagents, subagent('t2', [], { parentConversationId: 't1' })] },
        beside(),
      ),
    ],
  ],
})

describe('fork-context', () => {
  const parent = [said('one'), called('bash')]
  const fork = (...blocks: readonly ConversationBlock[]) => ({
    blocks: parent,
    subagents: [subagent('t1', [...blocks, said('own')])],
  })
  const copy = { ...said('one'), id: 'copy:0' }

  it.each<[string, ConversationBlock]>([
    ['a text of the parent’s message', copy],
    ['a call of the parent', called('bash')],
    ['its result', answered('bash', 'Fork started')],
  ])('is left out of a fork’s file: %s', (_, copied) => {
    expect(comparison({ live: fork(), stored: fork(copied) })).toStrictEqual({
      differences: [],
      projected: [{ kind: 'fork-context', side: 'stored', count: 1 }],
    })
  })

  it.each<[string, Parameters<typeof comparison>]>([
    ['the fork’s own message', [{ live: fork(), stored: fork(said('two')) }]],
    ['the fork’s own call', [{ live: fork(), stored: fork(called('two')) }]],
    ['a copy in the stream', [{ live: fork(copy), stored: fork() }]],
    ['of OpenCode', [{ live: fork(), stored: fork(copy) }, 'opencode']],
    ['main’s own message', [{ live: {}, stored: { blocks: parent } }]],
  ])('is not what only looks like it: %s', (_, example) => {
    const { differences, projected } = comparison(...example)
    expect(differences).not.toEqual([])
    expect(projected).toEqual([])
  })

  it('is a copy of the conversation that called it, and of no other', () => {
    const held = (...blocks: readonly ConversationBlock[]) => ({
      blocks: parent,
      subagents: [
        subagent('t1', [said('t1-text')]),
        subagent('t2', [...blocks, said('own')], { parentConversationId: 't1' }),
      ],
    })
    const copyOf = (id: string) => ({ ...said(id), id: 'copy:0' })
    expect(comparison({ live: held(), stored: held(copyOf('t1-text')) }).differences).toEqual([])
    expect(comparison({ live: held(), stored: held(copyOf('one')) }).differences).toMatchObject([
      { kind: 'missing-block', conversationId: 't2', id: 'copy:0' },
    ])
  })
})

examples('killed-subagent', {
  left: [
    ['of 1.x, which writes it when it has finished', live(sub(called('c1')), sub(), 'claude-code 1.0.128')],
  ],
  told: [
    ['of a later version', live(sub(called('c1')), sub())],
    ['a part of it was stored', live(beside(called('c2')), beside(), 'claude-code 1.0.128')],
    ['of main', live([called('c1')], [], 'claude-code 1.0.128')],
  ],
})

describe('tool-use-place', () => {
  const pair = (...told: readonly ConversationBlock[]) => ({
    live: sub(called('c1', 'm1:0'), ...told),
    stored: sub(called('c1', 'm1:1'), ...told),
  })

  it('is left out where no text of the subagent is in the stream', () => {
    expect(comparison(pair())).toStrictEqual({
      differences: [],
      projected: [{ kind: 'tool-use-place', side: 'live', count: 1 }],
    })
  })

  it('is a difference where the stream has its text', () => {
    expect(comparison(pair(said('a'))).differences).toStrictEqual([
      { kind: 'block', conversationId: 't1', id: 'm1:1', field: 'id', live: 'm1:0', stored: 'm1:1' },
    ])
  })

  it('is a difference in main', () => {
    const { differences } = comparison({ live: [called('c1', 'm1:0')], stored: [called('c1', 'm1:1')] })
    expect(differences).toStrictEqual([
      { kind: 'block', conversationId: 'main', id: 'm1:1', field: 'id', live: 'm1:0', stored: 'm1:1' },
    ])
  })

  it('hides nothing else of the call', () => {
    const stored = sub({ ...called('c1', 'm1:1'), input: { command: 'rm' } })
    expect(comparison({ ...pair(), stored }).differences).toMatchObject([
      { kind: 'block', conversationId: 't1', id: 'm1:1', field: 'input' },
    ])
  })
})

describe('tool-result-place', () => {
  const [a, b] = [called('a'), called('b')]

  it.each(['claude-code', 'opencode', 'unknown'] as const)('is left out: %s', (program) => {
    const live = [a, answered('a'), b, answered('b')]
    const stored = [a, b, answered('b'), answered('a')]
    expect(comparison({ live, stored }, program)).toStrictEqual({
      differences: [],
      projected: [{ kind: 'tool-result-place', side: 'live', count: 1 }],
    })
  })

  it('hides no result that is missing, and none that is another', () => {
    const live = [a, answered('a'), b, answered('b')]
    expect(comparison({ live, stored: [a, b, answered('b')] }).differences).toMatchObject([
      { kind: 'missing-block', id: 'a:result' },
    ])
    expect(
      comparison({ live, stored: [a, b, answered('a', 'other'), answered('b')] }).differences,
    ).toMatchObject([{ kind: 'block', id: 'a:result', field: 'output' }])
  })

  it('hides no call that stands elsewhere', () => {
    const { differences } = comparison({
      live: [a, answered('a'), b, answered('b')],
      stored: [b, answered('b'), a, answered('a')],
    })
    expect(differences).toMatchObject([{ kind: 'order', live: ['a:0', 'b:0'], stored: ['b:0', 'a:0'] }])
  })
})

examples('unknown-fact', {
  left: [
    [
      'a block’s time',
      stored([{ ...said('a'), timestamp: '2026-01-01T12:00:00.000Z' }], [said('a')], 'unknown'),
    ],
    ['its model', live([{ ...said('a'), model: 'one' }], [said('a')])],
    ['a result’s duration', live([{ ...answered('a'), durationMs: 0 }], [answered('a')])],
    ['a subagent’s run', live({ subagents: [subagent('t1', [], { runId: 'r' })] }, sub())],
    ['its duration', stored({ subagents: [subagent('t1', [], { durationMs: 1 })] }, sub())],
    ['a message’s model', stored({ usage: [tokens('m', { model: 'one' })] }, { usage: [tokens('m')] })],
    ['the session’s id', live({ session: { id: 's1' } }, {}, 'opencode')],
    ['its cost', live({ session: { costUsd: 0 } })],
    ['its tools', live({ session: { tools: [] } })],
    ['its program', live({ session: { program: 'claude-code' } }, {}, 'unknown')],
  ],
  told: [
    ['an agent’s id', stored({ subagents: [subagent('t1', [], { agentId: 'a1' })] }, sub())],
    [
      'its parent',
      stored(sub(), { subagents: [{ toolUseId: 't1', status: 'success', blocks: [], usage: [] }] }),
    ],
    ['its report', stored({ subagents: [subagent('t1', [], { output: 'One.' })] }, sub())],
    ['a figure', stored({ usage: [tokens('m', { inputTokens: 1 })] }, { usage: [tokens('m')] })],
    ['a message', stored([{ ...said('a'), messageId: 'm1' }], [said('a')])],
  ],
})

describe('provisional-usage', () => {
  const early = tokens('m1', { final: false, outputTokens: 1 })
  const final = tokens('m1')

  it.each(['live', 'stored'] as const)('is left out where %s knows an early snapshot only', (side) => {
    const pair = { live: { usage: [final] }, stored: { usage: [final] } }
    expect(comparison({ ...pair, [side]: { usage: [early] } }, 'unknown')).toStrictEqual({
      differences: [],
      projected: [{ kind: 'provisional-usage', side, count: 1 }],
    })
  })

  it('is left out where the other side has none', () => {
    expect(comparison({ live: { blocks: [said('a')], usage: [early] }, stored: [said('a')] })).toStrictEqual({
      differences: [],
      projected: [{ kind: 'provisional-usage', side: 'live', count: 1 }],
    })
  })

  it('hides no final figures that are others', () => {
    const pair = {
      live: { usage: [early, tokens('m2')] },
      stored: { usage: [final, tokens('m2', { outputTokens: 9 })] },
    }
    expect(comparison(pair).differences).toMatchObject([{ kind: 'usage', id: 'm2', live: 10, stored: 9 }])
  })
})

examples('unseen-usage', {
  left: [
    ['of a message that the stream has nothing of', stored({ usage: [tokens('m1')] })],
    ['of one that was not stored', live({ usage: [tokens('m1')] }, {}, 'unknown')],
  ],
  told: [
    [
      'of a message that the other side has',
      stored({ blocks: [said('a')], usage: [tokens('a-message')] }, { blocks: [said('a')] }),
    ],
  ],
})

describe('what both are counted by', () => {
  it('is the kind and the side: never an id', () => {
    const blocks = Array.from({ length: 30 }, (_, at) => noted('hook', `hook ${at}`))
    expect(comparison({ live: blocks.slice(0, 20), stored: blocks.slice(20) })).toStrictEqual({
      differences: [],
      projected: [
        { kind: 'system-note', side: 'live', count: 20 },
        { kind: 'system-note', side: 'stored', count: 10 },
      ],
    })
  })

  it('is the stored program where the two do not agree, and the one that is known', () => {
    const facts = (program?: string) => ({ session: program === undefined ? {} : { program } })
    const kinds = (live?: string, stored?: string) =>
      comparison(
        { live: facts(live), stored: { ...facts(stored), blocks: [told('n', 'meta')] } },
        'unknown',
      ).differences.map(({ kind }) => kind)
    expect(kinds('claude-code', undefined)).toEqual([])
    expect(kinds(undefined, 'claude-code')).toEqual([])
    expect(kinds('claude-code', 'opencode')).toEqual(['session', 'missing-block'])
    expect(kinds('opencode', 'claude-code')).toEqual(['session'])
    expect(kinds('codex', 'codex')).toEqual(['missing-block'])
  })
})

describe('of main', () => {
  const finished = [said('a'), called('t1'), answered('t1'), { ...called('t2'), status: 'error' as const }]
  const programs: readonly Program[] = ['claude-code', 'claude-code 1.0.128', 'opencode', 'unknown']

  it.each(programs)('nothing that is finished is left out, on neither side: %s', (program) => {
    for (const block of finished)
      for (const side of ['live', 'stored'] as const)
        expect(comparison({ [side]: [block] }, program)).toStrictEqual({
          differences: [{ kind: 'missing-block', conversationId: 'main', id: block.id, [side]: block }],
          projected: [],
        })
  })
})
