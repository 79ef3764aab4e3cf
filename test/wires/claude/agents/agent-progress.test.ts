import { describe, expect, it } from 'vitest'
import { blocksOf, textsOf } from '../../recordings.ts'
import {
  agentCall,
  assistantMessage,
  completedRecord,
  endTurn,
  type Message,
  readFiles,
  readOpenFiles,
  text,
  thinking,
  toolResult,
  toolUse,
  userMessage,
} from '../messages.ts'

/** A `progress` line of main's file (2.1.17 to 2.1.49), which holds a message of the agent. */
const progress = ({ type, message, uuid }: Message, fields: Message = {}): Message => ({
  type: 'progress',
  data: {
    type: 'agent_progress',
    agentId: 'a1',
    prompt: 'Do t1.',
    normalizedMessages: [],
    message: { type, message, uuid },
  },
  toolUseID: 'agent_msg_1',
  parentToolUseID: 't1',
  ...fields,
})

const work: readonly Message[] = [
  userMessage('Do t1.', { uuid: 'a1-0' }),
  assistantMessage('s1', thinking('Hm.'), { uuid: 'a1-1' }),
  assistantMessage('s1', text('I look.'), { uuid: 'a1-2' }),
  assistantMessage('s1', toolUse('b1'), { uuid: 'a1-3' }),
  toolResult('b1', 'README.md', { uuid: 'a1-4' }),
]
const result = toolResult('t1', 'x', { toolUseResult: completedRecord('a1', 'Report.') })
const main = (...lines: readonly Message[]): readonly Message[] => [
  userMessage('Go.'),
  assistantMessage('m1', agentCall('t1')),
  ...lines,
  result,
  assistantMessage('m2', text('Done.'), {}, endTurn),
]
const WORK_BLOCKS = ['t1:prompt', 's1:0', 's1:1', 'b1', 'b1:result']

describe('progress of an agent', () => {
  it('holds the messages of the agent’s conversation, not of main’s', () => {
    const { state, ending, issues } = readFiles(main(...work.map((each) => progress(each))))
    expect(blocksOf(state, 't1').map(({ id }) => id)).toEqual(WORK_BLOCKS)
    expect(textsOf(state)).toEqual(['Done.'])
    expect(state.subagents).toMatchObject([{ toolUseId: 't1', agentId: 'a1', status: 'success' }])
    expect(issues).toEqual([])
    expect(ending).toBe('finished')
  })

  it.each([
    ['without a meta file', undefined],
    ['with a meta file', { agentType: 'x', toolUseId: 't1', spawnDepth: 1 }],
  ])('adds nothing to the agent’s own file: %s', (_, meta) => {
    const files = { a1: { lines: work, ...(meta && { meta }) } }
    const { state } = readFiles(main(...work.map((each) => progress(each))), files)
    expect(blocksOf(state, 't1').map(({ id }) => id)).toEqual(WORK_BLOCKS)
  })

  // Some versions report only calls and results as progress.
  it('adds nothing to the agent’s own file if it leaves out messages', () => {
    const { state } = readFiles(main(...work.slice(3).map((each) => progress(each))), { a1: { lines: work } })
    expect(blocksOf(state, 't1').map(({ id }) => id)).toEqual(WORK_BLOCKS)
  })

  it('keeps the agent running while its call has no result', () => {
    const { state } = readOpenFiles(main(...work.map((each) => progress(each))).slice(0, 5))
    expect(state.subagents).toMatchObject([{ agentId: 'a1', status: 'running' }])
  })

  it('takes the agent from the progress alone, and not from the message in it', () => {
    const lines = work.map((each) => {
      const { data } = progress(each)
      const { agentId: _, message, ...others } = Object(data)
      return { ...progress(each), data: { ...others, message: { ...message, agentId: 'a2' } } }
    })
    const { state } = readFiles(main(...lines))
    expect(state.subagents.map(({ agentId }) => agentId)).toEqual(['a1'])
    expect(blocksOf(state, 't1').map(({ id }) => id)).toEqual(WORK_BLOCKS)
  })

  it('states no facts of the session', () => {
    const elsewhere = { sessionId: 'other', cwd: '/srv/other' }
    const { state } = readFiles(main(...work.map((each) => progress({ ...each, ...elsewhere }))))
    expect(state.session).toMatchObject({ id: 'session', cwd: '/srv/demo' })
  })
})
