import { expect, it } from 'vitest'
import { saveSession } from '../../../../src/session/save-session.ts'
import { claudeSource } from '../../../../src/wires/claude/source.ts'

const AGENT = 'a1'

const line = (uuid: string, fields: object, text: string) => ({
  type: 'assistant',
  uuid,
  sessionId: 's',
  message: { id: `msg_${uuid}`, role: 'assistant', content: [{ type: 'text', text }] },
  ...fields,
})

it('forgets the last text of an agent that gets the id of its call', () => {
  const { session } = claudeSource.read(claudeSource.open(), [
    line('u1', { parent_tool_use_id: AGENT, agent_id: AGENT }, 'Words under the own id'),
    line('u2', { parent_tool_use_id: 'T', agent_id: AGENT }, 'Words under the id of the call'),
  ])
  // The state has both texts.
  const saved = JSON.stringify(Object(saveSession(session)).notes)
  expect(saved).toContain('Words under the id of the call')
  expect(saved).not.toContain('Words under the own id')
})
