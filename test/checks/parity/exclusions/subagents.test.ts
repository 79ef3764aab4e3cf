import { describe, expect, it } from 'vitest'
import type { ConversationBlock } from '../../../../src/entries/index.ts'
import {
  comparison,
  errorBlock,
  modelText,
  subagent,
  thinking,
  toolResult,
  toolUse,
  userMessage,
} from '../states.ts'
import { live, stored, testExclusion, withSubagent, withSubagentCall } from './examples.ts'

testExclusion('subagent-prompt', {
  excluded: [
    ['the prompt of a subagent', stored(withSubagentCall(userMessage('t1:prompt')), withSubagentCall())],
  ],
  compared: [
    ['it was not stored', live(withSubagentCall(userMessage('t1:prompt')), withSubagentCall())],
    [
      'of OpenCode, whose bus has it',
      stored(withSubagentCall(userMessage('p')), withSubagentCall(), 'opencode'),
    ],
    ['its compaction’s summary', stored(withSubagentCall(userMessage('p', 'summary')), withSubagentCall())],
  ],
})

testExclusion('subagent-text', {
  excluded: [
    ['text', stored(withSubagentCall(modelText('a')), withSubagentCall())],
    ['thinking', stored(withSubagentCall(thinking('a')), withSubagentCall())],
    ['an error message of the program', stored(withSubagentCall(errorBlock('a')), withSubagentCall())],
  ],
  compared: [
    [
      'the stream has another text of the subagent',
      stored(withSubagentCall(modelText('a'), modelText('b')), withSubagentCall(modelText('b'))),
    ],
    [
      'the stream has thinking of the subagent',
      stored(withSubagentCall(modelText('a'), thinking('b')), withSubagentCall(thinking('b'))),
    ],
    ['it was not stored', live(withSubagentCall(modelText('a')), withSubagentCall())],
    [
      'of OpenCode, whose bus has it',
      stored(withSubagentCall(modelText('a')), withSubagentCall(), 'opencode'),
    ],
    ['main’s', stored([toolUse('c1'), modelText('a')], [toolUse('c1')])],
    ['a call', stored(withSubagentCall(toolUse('c2')), withSubagentCall())],
    ['an output', stored(withSubagentCall(toolResult('c1')), withSubagentCall())],
  ],
})

testExclusion('subagent-conversation', {
  excluded: [
    ['of Claude Code', stored(withSubagent(toolUse('c1')), withSubagent())],
    ['of OpenCode', stored(withSubagent(toolResult('c1')), withSubagent(), 'opencode')],
    [
      'a subagent that it started',
      stored(
        { subagents: [subagent('t1'), subagent('t2', [modelText('a')], { parentConversationId: 't1' })] },
        { subagents: [subagent('t1')] },
      ),
    ],
  ],
  compared: [
    [
      'the stream has another block of the subagent',
      stored(withSubagent(toolUse('c1'), toolUse('c2')), withSubagent(toolUse('c1'))),
    ],
    ['it was not stored', live(withSubagent(toolUse('c1')), withSubagent())],
    ['main’s', stored([toolUse('c1')])],
    ['a subagent that main started', stored({ subagents: [subagent('t1', [modelText('a')])] })],
    [
      'a nested subagent whose parent is in the stream',
      stored(
        { subagents: [...withSubagentCall().subagents, subagent('t2', [], { parentConversationId: 't1' })] },
        withSubagentCall(),
      ),
    ],
  ],
})

describe('fork-context', () => {
  const parent = [modelText('one'), toolUse('bash')]
  const fork = (...blocks: readonly ConversationBlock[]) => ({
    blocks: parent,
    subagents: [subagent('t1', [...blocks, modelText('own')])],
  })
  const copy = { ...modelText('one'), id: 'copy:0' }

  it.each<[string, ConversationBlock]>([
    ['a text of the parent’s message', copy],
    ['a call of the parent', toolUse('bash')],
    ['the result of that call', toolResult('bash', 'Fork started')],
  ])('is excluded from a fork’s file: %s', (_, copied) => {
    expect(comparison({ live: fork(), stored: fork(copied) })).toStrictEqual({
      differences: [],
      excluded: [{ kind: 'fork-context', side: 'stored', count: 1 }],
    })
  })

  it.each<[string, Parameters<typeof comparison>]>([
    ['the fork’s own message', [{ live: fork(), stored: fork(modelText('two')) }]],
    ['the fork’s own call', [{ live: fork(), stored: fork(toolUse('two')) }]],
    ['a copy in the stream', [{ live: fork(copy), stored: fork() }]],
    ['of OpenCode', [{ live: fork(), stored: fork(copy) }, 'opencode']],
    ['main’s own message', [{ live: {}, stored: { blocks: parent } }]],
  ])('does not include similar content: %s', (_, example) => {
    const { differences, excluded } = comparison(...example)
    expect(differences).not.toEqual([])
    expect(excluded).toEqual([])
  })

  it('is a copy from the conversation that called the fork, and from no other', () => {
    const stateWith = (...blocks: readonly ConversationBlock[]) => ({
      blocks: parent,
      subagents: [
        subagent('t1', [modelText('t1-text')]),
        subagent('t2', [...blocks, modelText('own')], { parentConversationId: 't1' }),
      ],
    })
    const copyOf = (id: string) => ({ ...modelText(id), id: 'copy:0' })
    expect(comparison({ live: stateWith(), stored: stateWith(copyOf('t1-text')) }).differences).toEqual([])
    expect(comparison({ live: stateWith(), stored: stateWith(copyOf('one')) }).differences).toMatchObject([
      { kind: 'missing-block', conversationId: 't2', id: 'copy:0' },
    ])
  })
})

testExclusion('killed-subagent', {
  excluded: [
    [
      'of 1.x, which writes a subagent’s file at its end',
      live(withSubagent(toolUse('c1')), withSubagent(), 'claude-code 1.0.128'),
    ],
  ],
  compared: [
    ['of a later version', live(withSubagent(toolUse('c1')), withSubagent())],
    [
      'a part of it was stored',
      live(withSubagentCall(toolUse('c2')), withSubagentCall(), 'claude-code 1.0.128'),
    ],
    ['of main', live([toolUse('c1')], [], 'claude-code 1.0.128')],
  ],
})
