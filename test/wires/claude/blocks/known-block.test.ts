import { describe, expect, it } from 'vitest'
import { BlockList } from '../../../../src/wires/claude/blocks/model/block-search.ts'
import { knownBlock, startedBlock } from '../../../../src/wires/claude/blocks/model/known-block.ts'
import type { MessageBlock } from '../../../../src/wires/claude/memory.ts'
import { text, toolUse } from '../messages.ts'

const block = (index: number, fields: Partial<MessageBlock> = {}): MessageBlock => ({
  id: `m:${index}`,
  contentType: 'text',
  index,
  isWhole: true,
  ...fields,
})
const LINE = { index: undefined, isUnnamed: false }

it('a start names a known call by its id, and any other block by its index', () => {
  const call = block(1, { contentType: 'tool_use', toolUseId: 't' })
  const search = new BlockList([block(0), call])
  expect(startedBlock(toolUse('t'), 0, search)).toBe(call)
  expect(startedBlock(toolUse('other'), 0, search)?.id).toBe('m:0')
})

describe('a line completes or repeats', () => {
  it('the first block that has only started', () => {
    const search = new BlockList([block(0), block(1, { isWhole: false }), block(2, { isWhole: false })])
    expect(knownBlock(text('Hello.'), LINE, search)?.id).toBe('m:1')
  })

  it('the text with the same words rather than one that has begun with them', () => {
    const begun = block(0, { isWhole: false, unnamedText: 'Hel' })
    const same = block(1, { unnamedText: 'Hello.' })
    expect(knownBlock(text('Hello.'), LINE, new BlockList([begun, same]))).toBe(same)
    expect(knownBlock(text('Hello.'), LINE, new BlockList([begun]))).toBe(begun)
  })

  it('a last text that the end of the input has cut, unless the line has another uuid in the file', () => {
    const cut = new BlockList([block(0, { unnamedText: 'Hel' })])
    expect(knownBlock(text('Hello.'), LINE, cut)?.id).toBe('m:0')
    expect(knownBlock(text('Hello.'), { ...LINE, isUnnamed: true }, cut)).toBeUndefined()
  })

  it('no block of another kind, and no call', () => {
    const search = new BlockList([
      block(0, { contentType: 'thinking', isWhole: false }),
      block(1, { toolUseId: 't', isWhole: false }),
    ])
    expect(knownBlock(text('Hello.'), { ...LINE, index: 1 }, search)).toBeUndefined()
  })
})
