import { expect, it } from 'vitest'
import { threadsOf } from '../../recordings.ts'
import { recordings, replay } from '../recordings.ts'

it('tokens are reported for every complete message', () => {
  for (const { events, disk } of recordings)
    for (const raw of [events, disk])
      for (const { blocks, usage } of threadsOf(replay(raw).state)) {
        const entered = new Set(usage.map(({ messageId }) => messageId))
        const failed = new Set(blocks.map(({ id }) => id))
        const speaking = blocks.flatMap((block) => ('messageId' in block ? [block.messageId ?? ''] : []))
        for (const id of speaking) expect(entered.has(id) || failed.has(`${id}:error`)).toBe(true)
        expect(entered.size).toBe(usage.length)
        expect(usage.every(({ final }) => final)).toBe(true)
      }
})
