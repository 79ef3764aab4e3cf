import { describe, expect, it } from 'vitest'
import { blocksOf, textsOf } from '../../recordings.ts'
import {
  assistantMessage,
  completedRecord,
  type Message,
  modelAnswers,
  modelLaunches,
  modelSays,
  readFiles,
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
  modelSays('s1', 'I look.', { uuid: 'a1-2' }),
  assistantMessage('s1', toolUse('b1'), { uuid: 'a1-3' }),
  toolResult('b1', 'README.md', { uuid: 'a1-4' }),
]
const result = toolResult('t1', 'x', { toolUseResult: completedRecord('a1', 'Report.') })
const main = (...lines: readonly Message[]): readonly Message[] => [
  userMessage('Go.'),
  modelLaunches('m1', 't1'),
  ...lines,
  result,
  modelAnswers('m2', 'Done.'),
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
})
