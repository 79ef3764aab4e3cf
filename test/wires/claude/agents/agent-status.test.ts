import { describe, expect, it } from 'vitest'
import { completedRecord, init, modelLaunches, readStream, toolResult } from '../messages.ts'

describe('a completed agent whose report begins like a failure', () => {
  const statusIn = (version: string | undefined) => {
    const report = 'API Error: 529 is what the log shows.'
    const { state } = readStream(
      { ...init, claude_code_version: version },
      modelLaunches('m1', 't1'),
      toolResult('t1', report, { tool_use_result: completedRecord('a1', report) }),
    )
    return state.subagents[0]?.status
  }

  it.each(['2.1.330', '2.2.0', '3.0.0'])('has succeeded in %s, which states failures', (version) => {
    expect(statusIn(version)).toBe('success')
  })
})
