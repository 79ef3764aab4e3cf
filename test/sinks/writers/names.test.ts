import { expect, it } from 'vitest'
import { createInitialConversationState } from '../../../src/core/state/session.ts'
import { reduceSessionEvents } from '../../../src/entries/index.ts'
import { writeSession } from '../../../src/sinks/writers/write-session.ts'

it('names a session and its agent after the first line with words', () => {
  const state = reduceSessionEvents(createInitialConversationState(), [
    { type: 'session:updated', facts: { id: 's', program: 'opencode', cwd: '/srv/demo' } },
    {
      type: 'block:upsert',
      block: {
        type: 'user_message',
        id: 'p',
        status: 'complete',
        content: '\nCount the lines.\nAll of them.',
      },
    },
    { type: 'subagent:spawned', toolUseId: 'c', prompt: '\n\nCount one file.\nNo other.' },
    { type: 'subagent:completed', toolUseId: 'c', status: 'completed', output: '3' },
  ])
  const { files } = writeSession(state, { program: 'opencode', cwd: '/srv/demo' })
  const titles = Object.values(files).map((text) => JSON.parse(text).info.title)
  expect(titles.sort()).toEqual(['Count one file. (@general-purpose subagent)', 'Count the lines.'])
})
