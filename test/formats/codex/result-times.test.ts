import { describe, expect, it } from 'vitest'
import { parseTranscript } from '../../../src/index.ts'
import { recordings } from './recordings.ts'

describe.each(recordings)('Codex, $name', ({ app }) => {
  it('has the time of each result in a rollout', () => {
    const { blocks, subagents } = parseTranscript('codex', app.disk)
    const all = [{ blocks }, ...subagents].flatMap((thread) => thread.blocks)
    // The program does not say when a person refused a call.
    const untimed = all.filter(
      (block) => block.type === 'tool_result' && !block.isError && block.timestamp === undefined,
    )
    expect(untimed).toEqual([])
  })
})
