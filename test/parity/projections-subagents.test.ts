import { describe, expect, it } from 'vitest'
import type { ConversationBlock } from '../../src/index.ts'
import { beside, examples, live, stored, sub } from './projection-examples.ts'
import { answered, called, comparison, failed, said, subagent, thought, told } from './states.ts'

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
