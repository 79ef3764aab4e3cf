import { describe, expect, it } from 'vitest'
import { isPrompt } from '../../../../src/core/state/block.ts'
import type { Session } from '../../../../src/reading/source.ts'
import { claudeSource } from '../../../../src/wires/claude/source.ts'
import { type Message, modelCalls, modelSays, readFiles, toolResult, userMessage } from '../messages.ts'

const queued = (operation: string, content?: string): Message => ({
  type: 'queue-operation',
  operation,
  ...(content !== undefined && { content }),
})

const attached = (prompt: string): Message => ({
  type: 'attachment',
  attachment: { type: 'queued_command', prompt, commandMode: 'prompt' },
})

/** Main works from its call to its result. The messages come between them. */
function promptsDuring(...messages: readonly Message[]): readonly unknown[] {
  const lines = [
    userMessage('Go.'),
    modelCalls('m1', 't1'),
    ...messages,
    toolResult('t1', 'ok'),
    modelSays('m2', 'Done.'),
  ]
  return readFiles(lines)
    .state.blocks.filter(isPrompt)
    .map(({ content }) => content)
}

describe('a prompt that the person writes while the model works', () => {
  it('is a prompt of main where only the queue holds it', () => {
    expect(promptsDuring(queued('enqueue', 'Faster.'), queued('remove'))).toEqual(['Go.', 'Faster.'])
  })

  it('is there once where an attachment follows with the same text', () => {
    const operations = [queued('enqueue', 'Faster.'), queued('remove', 'Faster.')]
    expect(promptsDuring(...operations, attached('Faster.'))).toEqual(['Go.', 'Faster.'])
    expect(promptsDuring(...operations, userMessage('Faster.'))).toEqual(['Go.', 'Faster.'])
  })

  it('is there once where its own line stands before its removal', () => {
    const lines = [queued('enqueue', 'Faster.'), attached('Faster.'), queued('remove')]
    expect(promptsDuring(...lines)).toEqual(['Go.', 'Faster.'])
  })

  it('begins a turn of its own after dequeue, with its own line', () => {
    const lines = [queued('enqueue', 'Next.'), queued('dequeue'), userMessage('Next.')]
    expect(promptsDuring(...lines)).toEqual(['Go.', 'Next.'])
  })

  it('is no prompt while it waits, or after the person took it back', () => {
    expect(promptsDuring(queued('enqueue', 'Faster.'))).toEqual(['Go.'])
    expect(promptsDuring(queued('enqueue', 'Faster.'), queued('popAll', 'Faster.'))).toEqual(['Go.'])
  })

  it('leaves the queue in order, or by its text', () => {
    const both = [queued('enqueue', 'One.'), queued('enqueue', 'Two.')]
    expect(promptsDuring(...both, queued('remove'))).toEqual(['Go.', 'One.'])
    expect(promptsDuring(...both, queued('remove', 'Two.'))).toEqual(['Go.', 'Two.'])
  })

  it('counts again when the person repeats the words after another prompt', () => {
    const first = [queued('enqueue', 'Go on.'), queued('remove')]
    expect(promptsDuring(...first, userMessage('Stop.'), userMessage('Go on.'))).toEqual([
      'Go.',
      'Go on.',
      'Stop.',
      'Go on.',
    ])
  })
})

it.each([
  '<task-notification>\n<task-id>a1</task-id>\n</task-notification>',
  '<agent-notification>\n<agent-id>a1</agent-id>\n</agent-notification>',
  '<agent-message from="reviewer">\nDone.\n</agent-message>',
  '{"task_id":"a1","tool_use_id":"t1","task_type":"local_agent"}',
  '/compact',
])('the queued message %j is not the words of the person', (content) => {
  expect(promptsDuring(queued('enqueue', content), queued('remove'))).toEqual(['Go.'])
})

it('operations on the queue that come again add no prompt', () => {
  const at = (second: number, line: Message): Message => ({
    ...line,
    timestamp: `2026-11-25T21:45:0${second}.000Z`,
  })
  const lines = [
    ...[at(0, userMessage('Go.')), at(1, modelCalls('m1', 't1'))],
    ...[at(2, queued('enqueue', 'Faster.')), at(2, queued('enqueue', 'Please.'))],
    ...[
      at(4, queued('remove', 'Faster.')),
      at(4, queued('remove', 'Please.')),
      at(3, toolResult('t1', 'ok')),
    ],
    ...[at(2, attached('Faster.')), at(2, attached('Please.')), at(5, modelSays('m2', 'Done.'))],
  ].map((line, n) => (line.type === 'queue-operation' ? line : { ...line, uuid: `u${n}` }))
  const prompts = (from: Session) =>
    claudeSource
      .read(from, lines)
      .session.state.blocks.filter(isPrompt)
      .map(({ content }) => content)
  const { session } = claudeSource.read(claudeSource.open(), lines)
  for (const from of [claudeSource.open(), session, claudeSource.open(session.state)])
    expect(prompts(from)).toEqual(['Go.', 'Faster.', 'Please.'])
})

// Two prompts with one text in one millisecond have equal lines, as a line that comes again. Only the removals count them.
describe('equal prompts that were queued in one millisecond', () => {
  const at = (second: number, line: Message): Message => ({
    ...line,
    timestamp: `2026-11-25T21:45:0${second}.000Z`,
  })
  const enqueued = (...texts: readonly string[]) => texts.map((each) => at(2, queued('enqueue', each)))
  const removed = (second: number, ...texts: readonly (string | undefined)[]) =>
    texts.map((each) => at(second, queued('remove', each)))
  const two = [undefined, undefined]

  it.each<[string, readonly Message[], readonly string[]]>([
    ['removed in one', [...enqueued('A', 'A'), ...removed(3, ...two)], ['A', 'A']],
    ['removed in two batches', [...enqueued('A', 'A'), ...removed(3, 'A'), ...removed(4, 'A')], ['A', 'A']],
    ['before another one', [...enqueued('A', 'A', 'B'), ...removed(3, undefined, ...two)], ['A', 'A', 'B']],
    ['behind another one', [...enqueued('B', 'A', 'A'), ...removed(3, undefined, ...two)], ['B', 'A', 'A']],
    ['three of them', [...enqueued('A', 'A', 'A'), ...removed(3, undefined, ...two)], ['A', 'A', 'A']],
    ['by their texts', [...enqueued('A', 'A', 'B'), ...removed(3, 'A', 'A', 'B')], ['A', 'A', 'B']],
    ['one line that comes again', [...enqueued('A', 'A'), ...removed(3, undefined)], ['A']],
    [
      'a line that comes again before another prompt',
      [...enqueued('A', 'A', 'B'), ...removed(3, ...two)],
      ['A', 'B'],
    ],
  ])('are as many as their removals: %s', (_, lines, words) => {
    expect(promptsDuring(...lines)).toEqual(['Go.', ...words])
  })
})
