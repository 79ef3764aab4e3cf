import fc from 'fast-check'
import { expect, it } from 'vitest'
import { BlockList, IndexedBlockList } from '../../../../src/wires/claude/blocks/model/block-search.ts'
import type { MessageBlock } from '../../../../src/wires/claude/memory.ts'

const IDS = ['t1', 't2', 't3']
const INDEXES = [0, 1, 2, 3, 7]
const TYPES = ['text', 'thinking', 'tool_use']

const block: fc.Arbitrary<MessageBlock> = fc.record(
  {
    id: fc.constantFrom('m:0', 'm:1'),
    contentType: fc.constantFrom(...TYPES),
    index: fc.constantFrom(...INDEXES),
    isWhole: fc.boolean(),
    toolUseId: fc.constantFrom(...IDS),
    unnamedText: fc.constantFrom('', 'Hello.'),
  },
  { requiredKeys: ['id', 'contentType', 'index', 'isWhole'] },
)

/** Adds a block at the end, or replaces the one at a place. */
const change = fc.record({ block, place: fc.option(fc.nat({ max: 20 }), { nil: undefined }) })

const found = (search: BlockList | IndexedBlockList) => ({
  calls: [...IDS, 'other'].map((id) => search.call(id)),
  atIndex: [...INDEXES, -1].map((index) => search.atIndex(index)),
  textsAtIndex: INDEXES.map((index) => search.atIndex(index, ({ contentType }) => contentType === 'text')),
  repeatable: [...TYPES, 'other'].map((type) => [...search.repeatableTexts(type)]),
  nextIndex: search.nextIndex(),
  last: search.last,
})

it('an indexed list finds the same blocks as a search through a list, after each change', () => {
  fc.assert(
    fc.property(
      fc.array(block, { maxLength: 6 }),
      fc.array(change, { maxLength: 15 }),
      fc.array(fc.boolean(), { minLength: 15, maxLength: 15 }),
      (first, changes, isSearched) => {
        const long = new IndexedBlockList(first)
        let blocks = first
        for (const [at, { block, place = blocks.length }] of changes.entries()) {
          if (place < blocks.length) {
            long.replace(place, block)
            blocks = blocks.with(place, block)
          } else {
            long.append(block)
            blocks = [...blocks, block]
          }
          if (isSearched[at]) expect(found(long)).toEqual(found(new BlockList(blocks)))
        }
        expect(found(long)).toEqual(found(new BlockList(blocks)))
        expect(long.blocks).toEqual(blocks)
      },
    ),
    { numRuns: 500 },
  )
})
