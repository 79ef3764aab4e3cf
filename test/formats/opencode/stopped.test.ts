import { describe, expect, it } from 'vitest'
import { notesOf, ofType, textsOf } from '../recordings.ts'
import {
  answer,
  asked,
  atRest,
  child,
  completed,
  failed,
  type Message,
  main,
  pending,
  question,
  read,
  running,
} from './messages.ts'
import { readBoth } from './stored.ts'

const ABORTED = { name: 'MessageAbortedError', data: { message: 'Aborted' } }
const stopped = (id: string, session = main) => session.completed(id, { finish: undefined, error: ABORTED })

describe('a session that the person stops', () => {
  // The program is at rest before it tells the last of what it had, and then once more.
  const aborted = [
    ...question,
    main.begun('msg_2'),
    main.stepStart('msg_2', 'prt_1'),
    main.saying('msg_2', 'prt_2'),
    main.delta('msg_2', 'prt_2', 'This is '),
    main.delta('msg_2', 'prt_2', 'cut'),
    main.failed(ABORTED),
    ...atRest(),
    main.delta('msg_2', 'prt_2', ' of'),
    main.said('msg_2', 'prt_2', 'This is cut of'),
    stopped('msg_2'),
    ...atRest(),
  ]

  it('keeps what was said, and is interrupted once', () => {
    const { state, ending } = readBoth(...aborted)
    expect(textsOf(state)).toEqual(['This is cut of'])
    expect(notesOf(state, 'interruption')).toEqual([
      {
        type: 'system',
        id: 'msg_2:error',
        conversationId: 'main',
        status: 'complete',
        subtype: 'interruption',
        message: 'Aborted',
        timestamp: '1970-01-01T00:00:03.000Z',
      },
    ])
    expect(ofType(state, 'error')).toEqual([])
    expect(ending).toBe('interrupted')
  })

  it('has the words that come after it was at rest', () => {
    const late = aborted.slice(0, 12)
    expect(JSON.stringify(late.at(-1))).toContain('" of"')
    expect(textsOf(read(...late).state)).toEqual(['This is cut of'])
  })

  it('goes on with the next prompt', () => {
    const { state, ending } = readBoth(
      ...aborted,
      main.user('msg_3'),
      main.told('msg_3', 'prt_3', 'Again.'),
      ...answer,
    )
    expect(textsOf(state)).toEqual(['This is cut of', 'Answer.'])
    expect(ending).toBe('finished')
  })

  it('has the end of the command that ran', () => {
    const output = 'one\n\n<shell_metadata>\nUser aborted the command\n</shell_metadata>'
    const { state, ending } = readBoth(
      ...question,
      main.begun('msg_2'),
      main.tool('msg_2', 'prt_2', pending),
      main.tool('msg_2', 'prt_2', running({ metadata: { output: 'one\n' } })),
      main.failed(ABORTED),
      ...atRest(),
      main.tool('msg_2', 'prt_2', completed(output)),
      stopped('msg_2'),
      ...atRest(),
    )
    expect(state.blocks.slice(1)).toMatchObject([
      { type: 'tool_use', status: 'complete' },
      { type: 'tool_result', status: 'complete', output },
      { type: 'system', subtype: 'interruption' },
    ])
    expect(ending).toBe('interrupted')
  })

  it('ends the subagent that ran, and keeps what that had said', () => {
    const call = (state: Message) => main.task('msg_2', 'call-1', state)
    const interrupted = asked(child.id, {}, { interrupted: true })
    const { state, issues, ending } = readBoth(
      ...question,
      main.begun('msg_2'),
      call(pending),
      child.created(),
      call(running(asked(child.id))),
      child.user('c_1'),
      child.told('c_1', 'c_p1', 'Look closely.'),
      child.begun('c_2'),
      child.saying('c_2', 'c_p2'),
      child.delta('c_2', 'c_p2', 'I am lo'),
      child.failed(ABORTED),
      main.failed(ABORTED),
      ...atRest(),
      call(failed('Tool execution aborted', interrupted)),
      stopped('msg_2'),
      child.said('c_2', 'c_p2', 'I am lo'),
      stopped('c_2', child),
      ...atRest(child),
      ...atRest(),
    )
    expect(state.subagents).toMatchObject([
      { toolUseId: 'call-1', status: 'error', output: 'Tool execution aborted' },
    ])
    expect(state.subagents.map((subagent) => textsOf(subagent))).toEqual([['I am lo']])
    expect(state.subagents.map((subagent) => notesOf(subagent, 'interruption').length)).toEqual([1])
    expect(notesOf(state, 'interruption')).toHaveLength(1)
    expect(issues).toEqual([])
    expect(ending).toBe('interrupted')
  })
})
