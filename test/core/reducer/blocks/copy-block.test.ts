import { describe, expect, it } from 'vitest'
import { copyBlock } from '../../../../src/core/reducer/fast.ts'
import type { IncomingBlock } from '../../../../src/entries/source-kit.ts'

type PlainBlock = Exclude<IncomingBlock, { readonly type: 'subagent' }>

interface Kind {
  /** The fields of each block of the kind, in the order of the copy. */
  readonly required: object
  readonly optional: object
}

const base = { id: 'a', type: '', status: 'complete' }
const message = { messageId: 'm', timestamp: 't', model: 'opus' }

// The copy of a common block has its fields in one order, so V8 gives all blocks of a kind few hidden classes.
const kinds: Readonly<Record<string, Kind>> = {
  assistant_text: { required: { ...base, content: 'x' }, optional: message },
  thinking: { required: { ...base, content: 'x' }, optional: message },
  tool_use: {
    required: { ...base, toolName: 'Read', toolUseId: 'u', input: {} },
    optional: { inputText: '{', messageId: 'm', timestamp: 't' },
  },
  tool_result: {
    required: { ...base, toolUseId: 'u', output: 'done', isError: false },
    optional: { durationMs: 1, exitCode: 1, timestamp: 't' },
  },
}

describe.each(Object.entries(kinds))('the copy of a block of type %s', (type, { required, optional }) => {
  const fields = { ...required, type }

  it.each(subsetsOf(Object.entries(optional)))('has one order of fields, with %j', (...more) => {
    const added = Object.fromEntries(more)
    const expected = { ...fields, conversationId: 'S', ...added }
    for (const own of [{}, { conversationId: 'elsewhere' }]) {
      const block = reversed({ ...fields, ...own, ...added })
      expect(Object.entries(copyBlock(block, 'S'))).toEqual(Object.entries(expected))
    }
  })

  it('has further fields, and none that is undefined', () => {
    const undefinedFields = Object.fromEntries(Object.keys(optional).map((name) => [name, undefined]))
    const block = reversed({ ...fields, ...undefinedFields, extra: [1] })
    expect(copyBlock(block, 'S')).toStrictEqual({ ...fields, conversationId: 'S', extra: [1] })
  })
})

function reversed(fields: object): PlainBlock {
  return Object.fromEntries(Object.entries(fields).reverse()) as PlainBlock
}

function subsetsOf<Item>([first, ...rest]: readonly Item[]): Item[][] {
  if (first === undefined) return [[]]
  const subsets = subsetsOf(rest)
  return [...subsets.map((subset) => [first, ...subset]), ...subsets]
}
