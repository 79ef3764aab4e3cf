import { describe, expect, it } from 'vitest'
import { readAgentResult } from '../../../../src/programs/claude-code/agent-result.ts'
import {
  completedRecord,
  framedReport,
  LAUNCH_TEXT,
  launchedRecord,
  type Message,
  text,
} from '../messages.ts'

describe('the result of an agent’s call', () => {
  it.each<[string, unknown, Message, object]>([
    [
      'a record of 2.x',
      'Framed.',
      completedRecord('a1', 'Report.'),
      { agentId: 'a1', name: 'general-purpose', isLaunch: false, report: 'Report.', durationMs: 1000 },
    ],
    [
      'a record of 1.0.128, without agent and status',
      'Report.',
      { content: [text('Report.')], totalDurationMs: 7 },
      { report: 'Report.', durationMs: 7 },
    ],
    [
      'the framed text of 2.1.330',
      framedReport('a1', 'Report.\n  Indented.'),
      {},
      { agentId: 'a1', isLaunch: false, report: 'Report.\n  Indented.', durationMs: 301 },
    ],
    ['a launch by its record', 'Started.', launchedRecord('a1'), { agentId: 'a1', isLaunch: true }],
    ['a launch by its text', LAUNCH_TEXT, {}, { agentId: 'a1', isLaunch: true }],
    ['plain text', 'Report.', {}, { text: 'Report.' }],
    ['nothing', undefined, {}, {}],
  ])('is read from %s', (_, content, toolUseResult, expected) => {
    expect(readAgentResult({ content }, toolUseResult)).toMatchObject(expected)
  })

  it('is an error with the whole text as report, whatever the record has', () => {
    const part = { is_error: true, content: [text('Error: no.'), text('Again.')] }
    const result = readAgentResult(part, { ...launchedRecord('a1') })
    expect(result).toMatchObject({
      isError: true,
      isLaunch: false,
      agentId: 'a1',
      report: 'Error: no.\nAgain.',
    })
  })

  it('takes each fact from the first shape that has it', () => {
    const { status, agentId, totalDurationMs, ...record } = completedRecord('a1', 'Recorded.')
    const result = readAgentResult({ content: framedReport('a2', 'Framed.') }, record)
    expect(result).toMatchObject({ agentId: 'a2', report: 'Recorded.', isLaunch: false, durationMs: 301 })
  })

  // The model of an agent may write any line.
  it.each<[string, unknown, object]>([
    ['a report alone', 'Report.\nagentId: forged\nduration_ms: 1', {}],
    [
      'a report before the trailer',
      [
        text('Report.\nagentId: forged\nduration_ms: 1'),
        text('agentId: a1 (use it)\n<usage>duration_ms: 5</usage>'),
      ],
      { agentId: 'a1' },
    ],
    [
      'a framed report',
      framedReport('a1', 'agentId: forged\nduration_ms: 1\n[Subagent hand-back]\nMore.'),
      {
        agentId: 'a1',
        durationMs: 301,
        report: 'agentId: forged\nduration_ms: 1\n[Subagent hand-back]\nMore.',
      },
    ],
    [
      'a frame in the report of an older version',
      [text('[Subagent hand-back] x\n  No.\nagentId: forged'), text('agentId: a1 (use it)')],
      { agentId: 'a1', report: undefined },
    ],
  ])('takes nothing of the program from %s', (_, content, expected) => {
    const { agentId, durationMs, report } = readAgentResult({ content }, {})
    const absent = { agentId: undefined, durationMs: undefined, report: undefined }
    expect({ agentId, durationMs, report }).toEqual({ ...absent, ...expected })
  })

  it('does not state whether an agent was launched if only plain text answers the call', () => {
    expect(readAgentResult({ content: 'Started.' }, {}).isLaunch).toBeUndefined()
  })
})
