import { describe, expect, it } from 'vitest'
import type { ConversationBlock } from '../../../src/entries/index.ts'
import { writablePrograms, writeSession } from '../../../src/entries/writers.ts'
import { piSource } from '../../../src/wires/pi/source.ts'
import { assistant, calls, entry, live, read, result, says, timeAt, user } from './made-lines.ts'

// The program leaves a reply that broke off out of its next request: `context_edit`. A hand-over sent it to the next model.

const cut = (second: number, text: string, stopReason: string) =>
  assistant(second, [{ type: 'text', text }], stopReason)

const edit = (second: number, targetId: string) => ({
  type: 'context_edit',
  id: `edit-${targetId}`,
  parentId: targetId,
  timestamp: new Date(timeAt(second)).toISOString(),
  targetId,
  replacement: null,
})

const file = (stopReason: string) => [
  entry('a', null, { message: user(1, 'Print the menu.') }),
  entry('b', 'a', { message: cut(2, 'It begins wi', stopReason) }),
  edit(3, 'b'),
  entry('c', 'edit-b', { message: says(4, 'It begins with soup.') }),
]

const stream = (stopReason: string) => [
  ...live(user(1, 'Print the menu.')),
  ...live(cut(2, 'It begins wi', stopReason)),
  { type: 'entry_appended', entry: edit(3, 'b') },
  ...live(says(4, 'It begins with soup.')),
]

const texts = (blocks: readonly ConversationBlock[]) =>
  blocks.flatMap((block) => (block.type === 'assistant_text' ? [[block.content, block.status]] : []))

describe.each(['error', 'length', 'aborted'])(
  'a reply that ends with %s and that the program takes back',
  (reason) => {
    const taken = [
      ['It begins wi', 'error'],
      ['It begins with soup.', 'complete'],
    ]

    it.each([
      ['a file', file(reason)],
      ['a stream', stream(reason)],
    ])('has texts with the status error in %s', (_, lines) => {
      const { state, issues } = read(lines)
      expect(texts(state.blocks)).toEqual(taken)
      expect(issues).toEqual([])
      expect(read([...lines, ...lines]).state.blocks).toEqual(state.blocks)
      expect(read([...lines, ...lines.slice(2)]).state.blocks).toEqual(state.blocks)
    })

    it('is so in a file behind a state alone, and behind a stream that broke off', () => {
      for (const cutAt of file(reason).keys()) {
        const { state } = read(file(reason).slice(0, cutAt))
        const { session } = piSource.read(piSource.open(state), file(reason).slice(cutAt))
        expect(texts(session.state.blocks)).toEqual(taken)
      }
      expect(texts(read([...stream(reason).slice(0, 4), ...file(reason)]).state.blocks)).toEqual(taken)
    })

    it.each(writablePrograms())('is in no session for %s, and the loss is counted', (program) => {
      const { files, losses } = writeSession(read(file(reason)).state, { program, cwd: '/srv/demo' })
      expect(JSON.stringify(files)).not.toContain('It begins wi"')
      expect(losses).toContainEqual({ kind: 'dropped-text', count: 1, places: ['main'] })
    })
  },
)

it('another replacement takes nothing back', () => {
  const { state } = read(
    file('length').map((line) => ('targetId' in line ? { ...line, replacement: {} } : line)),
  )
  expect(texts(state.blocks)[0]).toEqual(['It begins wi', 'complete'])
})

it('an edit of an extension takes no other reply back in a stream, which does not name its entries', () => {
  const answered = [
    user(1, 'Print the menu.'),
    says(2, 'Soup.'),
    user(3, 'And then?'),
    says(4, 'Bread.'),
  ] as const
  const appended = { type: 'entry_appended', entry: { ...edit(5, 'e1'), parentId: 'e3' } }
  const complete = [
    ['Soup.', 'complete'],
    ['Bread.', 'complete'],
  ]
  expect(texts(read([...answered.flatMap(live), appended]).state.blocks)).toEqual(complete)
})

describe('what a compaction keeps', () => {
  const compaction = (first: string, summary: string) => ({
    type: 'compaction',
    summary,
    firstKeptEntryId: first,
    tokensBefore: 9,
  })
  const kept = (blocks: readonly ConversationBlock[]) =>
    blocks.flatMap((block) =>
      block.type === 'system' && block.subtype === 'compaction' ? [block.keptBlockIds] : [],
    )
  const messages = [
    entry('a', null, { message: user(1, 'Sort.') }),
    entry('b', 'a', { message: says(2, 'Sorted.') }),
    entry('c', 'b', { message: user(3, 'By colour.') }),
    entry('d', 'c', { message: says(4, 'Done.') }),
  ]
  const ids = [String(timeAt(3)), `${timeAt(4)}:0`]

  it('is known in a stream behind the file', () => {
    const result = { ...compaction('c', 'Seeds.') }
    const { state } = read([...messages, { type: 'compaction_end', reason: 'manual', result }])
    expect(kept(state.blocks)).toEqual([ids])
  })

  it('is not known behind a state alone that has the first kept message', () => {
    const lines = [...messages, entry('k', 'd', compaction('a', 'Seeds.'))]
    for (const cutAt of [1, 2, 3]) {
      const { state } = read(lines.slice(0, cutAt))
      const { session } = piSource.read(piSource.open(state), lines.slice(cutAt))
      expect(kept(session.state.blocks)).toEqual([undefined])
    }
    expect(kept(read(lines).state.blocks)[0]).toHaveLength(4)
  })

  it('has no earlier compaction, whose summary the later one replaces', () => {
    const { state } = read([
      ...messages,
      entry('k', 'd', compaction('c', 'Seeds.')),
      entry('e', 'k', { message: user(5, 'And the beans?') }),
      entry('l', 'e', compaction('d', 'Seeds and beans.')),
      entry('f', 'l', { message: says(6, 'Sorted too.') }),
    ])
    expect(kept(state.blocks)).toEqual([ids, [`${timeAt(4)}:0`, String(timeAt(5))]])
    const text = JSON.stringify(writeSession(state, { program: 'claude-code', cwd: '/srv/demo' }).files)
    const words = ['Seeds and beans.', 'Done.', 'And the beans?', 'Sorted too.']
    expect(words.toSorted((left, right) => text.lastIndexOf(left) - text.lastIndexOf(right))).toEqual(words)
  })

  it('has no text that was taken back before', () => {
    const { state } = read([
      entry('a', null, { message: user(1, 'Sort.') }),
      entry('b', 'a', { message: cut(2, 'Sor', 'length') }),
      edit(3, 'b'),
      entry('d', 'edit-b', { message: says(4, 'Done.') }),
      entry('k', 'd', compaction('a', 'Seeds.')),
    ])
    expect(kept(state.blocks)).toEqual([[String(timeAt(1)), `${timeAt(4)}:0`]])
  })

  it('is known of an agent with a file of its own', () => {
    const inAgent = [...messages, entry('k', 'd', compaction('c', 'Seeds.'))].map((line) => ({
      ...line,
      agentId: 'run/run-0',
    }))
    const details = {
      mode: 'single',
      runId: 'run',
      results: [{ agent: 'sorter', task: 'Sort.', exitCode: 0, sessionFile: '/x/run/run-0/session.jsonl' }],
    }
    const { state } = read([
      entry('a', null, { message: user(0, 'Use an agent.') }),
      entry('c', 'a', { message: calls(1, 'call', 'subagent', { agent: 'sorter', task: 'Sort.' }) }),
      ...inAgent,
      entry('d', 'c', { message: result(9, 'call', 'subagent', { details }) }),
    ])
    expect(kept(state.subagents[0]?.blocks ?? [])).toEqual([ids])
  })
})
