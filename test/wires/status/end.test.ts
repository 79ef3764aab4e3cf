import { describe, expect, it } from 'vitest'
import { depth } from '../../depth.ts'
import { wrongEnds } from './end-law.ts'
import { sessions } from './recorded.ts'

describe.each(sessions)('$name', (input) => {
  it('has an ending and a turn that agree, wherever the input is cut', () => {
    expect(wrongEnds(input, depth({ few: 20, all: 3 }))).toEqual([])
  })

  // Pages show such a call as interrupted, because its status is `complete`.
  it('has a result of each call in main of a session that finished', () => {
    const { source, messages } = input
    const { blocks, turn } = source.end(source.read(source.open(), messages).session).session.state
    const answered = new Set(blocks.flatMap((block) => (block.type === 'tool_result' ? block.toolUseId : [])))
    const isLost = ({ type, id, status }: (typeof blocks)[number]) =>
      type === 'tool_use' && status === 'complete' && !answered.has(id)
    expect(turn.status === 'finished' ? blocks.filter(isLost) : []).toEqual([])
  })
})
