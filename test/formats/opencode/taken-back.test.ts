import { describe, expect, it } from 'vitest'
import { answer, main, pending, question } from './messages.ts'
import { readBoth } from './stored.ts'

describe('what is taken back', () => {
  it('leaves the rest of the person’s message', () => {
    const { state } = readBoth(
      main.created(),
      main.user('msg_1'),
      main.told('msg_1', 'prt_1', 'Look.'),
      main.attached('msg_1', 'prt_2', 'image/png', 'https://example.com/a.png'),
      main.partRemoved('msg_1', 'prt_2'),
    )
    expect(state.blocks).toMatchObject([{ id: 'msg_1', content: 'Look.' }])
  })
  it('is no unfinished subagent where the call was only announced', () => {
    const { issues, ending } = readBoth(
      ...question,
      main.begun('msg_2'),
      main.task('msg_2', 'call-1', pending),
      main.removed('msg_2'),
      ...answer,
    )
    expect(issues).toEqual([])
    expect(ending).toBe('finished')
  })
  it('is said anew when the session is reverted further', () => {
    readBoth(
      ...question,
      ...answer,
      main.updated({ revert: { messageID: 'msg_90' } }),
      main.updated({ revert: { messageID: 'msg_90', partID: 'prt_90' } }),
    )
  })
})
