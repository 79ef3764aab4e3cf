import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { findSubagent } from '../../../src/index.ts'
import { textsOf } from '../recordings.ts'
import { answer, completed, delegation, main, pending, question, read, running } from './messages.ts'
import { recordings, replay } from './recordings.ts'

describe('a client that reconnects', () => {
  // The server tells the last events again, with their ids, and then goes on.
  it('has nothing twice and loses nothing, wherever the connection broke', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...recordings),
        fc.nat(),
        fc.nat({ max: 40 }),
        ({ events }, place, count) => {
          const lines = events.trimEnd().split('\n')
          const end = place % lines.length
          const again = lines.slice(Math.max(0, end - count), end)
          const { state, issues } = replay([...lines.slice(0, end), ...again, ...lines.slice(end)].join('\n'))
          expect(state).toEqual(replay(events).state)
          expect(issues).toEqual([])
        },
      ),
      { numRuns: 30 },
    )
  })

  it('has the same state when all events come once more', () => {
    for (const { events } of recordings) expect(replay(events + events).state).toEqual(replay(events).state)
  })

  it('has the same state when a single event of any age comes again', () => {
    fc.assert(
      fc.property(fc.constantFrom(...recordings), fc.nat(), fc.nat(), ({ events }, place, age) => {
        const lines = events.trimEnd().split('\n')
        const end = 1 + (place % lines.length)
        const old = lines[age % end] ?? ''
        const { state } = replay([...lines.slice(0, end), old, ...lines.slice(end)].join('\n'))
        expect(textsOf(state)).toEqual(textsOf(replay(events).state))
        expect(state.subagents).toEqual(replay(events).state.subagents)
      }),
      { numRuns: 25 },
    )
  })
})

describe('text that is being streamed', () => {
  const begun = [...question, main.begun('msg_2'), main.saying('msg_2', 'prt_2')]
  const first = main.delta('msg_2', 'prt_2', 'Hel')
  const second = main.delta('msg_2', 'prt_2', 'lo')

  it('takes an event once', () => {
    const { state } = read(...begun, first, second, first, second)
    expect(textsOf(state)).toEqual(['Hello'])
  })

  it('takes the same words in another event once more', () => {
    const { state } = read(...begun, first, main.delta('msg_2', 'prt_2', 'Hel'))
    expect(textsOf(state)).toEqual(['HelHel'])
  })

  it('does not begin anew when its beginning comes again', () => {
    const { state } = read(...begun, first, ...begun, second)
    expect(textsOf(state)).toEqual(['Hello'])
  })

  it('goes on from what it says as a whole meanwhile', () => {
    const whole = main.saying('msg_2', 'prt_2', 'Hello, ')
    const { state } = read(...begun, first, whole, first, whole, main.delta('msg_2', 'prt_2', 'you'))
    expect(textsOf(state)).toEqual(['Hello, you'])
  })

  it('takes no more of it once it is final', () => {
    const whole = main.said('msg_2', 'prt_2', 'Hello')
    const late = main.delta('msg_2', 'prt_2', ' again')
    const { state, reducerIssues } = read(...begun, first, whole, second, late)
    expect(textsOf(state)).toEqual(['Hello'])
    expect(reducerIssues).toEqual([])
  })

  it('is not unfinished again when an earlier state of it comes again', () => {
    const again = [...begun, main.delta('msg_2', 'prt_2', ' again')]
    const { state, reducerIssues } = read(...begun, main.said('msg_2', 'prt_2', 'Hello'), ...again)
    expect(reducerIssues).toEqual([])
    expect(state.blocks.at(-1)).toMatchObject({ content: 'Hello', status: 'complete' })
  })

  it('knows events without ids by nothing, and takes each', () => {
    const bare = { id: undefined }
    const { state } = read(...begun, { ...first, ...bare }, { ...first, ...bare })
    expect(textsOf(state)).toEqual(['HelHel'])
  })
})

describe('a call', () => {
  it('is not pending again when its beginning comes after its answer', () => {
    const call = [pending, running(), running({ metadata: { output: 'a' } })].map((state) =>
      main.tool('msg_2', 'prt_2', state),
    )
    const done = main.tool('msg_2', 'prt_2', completed('a\nb'))
    const { state, reducerIssues } = read(...question, main.begun('msg_2'), ...call, done, ...call)
    expect(state.blocks.slice(1)).toMatchObject([
      { type: 'tool_use', status: 'complete', input: { command: 'ls' } },
      { type: 'tool_result', status: 'complete', output: 'a\nb' },
    ])
    expect(reducerIssues).toEqual([])
  })

  it('starts one subagent, whose report stays, when all of it comes again', () => {
    const once = read(...delegation, ...answer).state
    expect(read(...delegation, ...delegation, ...answer).state).toEqual(once)
    expect(findSubagent(once, 'call-1')).toMatchObject({ status: 'success', output: 'Report.' })
  })

  it('is still pending when an earlier message, which is complete, is told again', () => {
    const earlier = main.completed('msg_2', { finish: 'tool-calls' })
    const call = main.tool('msg_3', 'prt_3', running())
    const { state } = read(...question, main.begun('msg_2'), earlier, main.begun('msg_3'), call, earlier)
    expect(state.blocks.at(-1)).toMatchObject({ type: 'tool_use', status: 'pending' })
  })
})
