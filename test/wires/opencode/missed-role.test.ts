import { expect, it } from 'vitest'
import { saveSession } from '../../../src/session/save-session.ts'
import { opencodeSource } from '../../../src/wires/opencode/source.ts'
import { SessionEvents, withEventIds } from './messages.ts'

const main = new SessionEvents('ses_1')

const text = main.event('message.part.updated', {
  part: {
    id: 'prt_1',
    sessionID: main.id,
    messageID: 'msg_1',
    type: 'text',
    text: 'Hello there',
    time: { start: 1 },
  },
})

const info = main.event('message.updated', {
  info: { id: 'msg_1', sessionID: main.id, role: 'assistant', time: { created: 1 } },
})

it('keeps a part only until its message is reported', () => {
  const [created, part, reported] = withEventIds([main.created(), text, info])
  const { session } = opencodeSource.read(opencodeSource.open(), [created, part])
  expect(JSON.stringify(saveSession(session))).toContain('unattributed')
  const after = opencodeSource.read(session, [reported]).session
  expect(JSON.stringify(saveSession(after))).not.toContain('unattributed')
})
