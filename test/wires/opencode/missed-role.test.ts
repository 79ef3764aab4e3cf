import { expect, it } from 'vitest'
import { opencodeSource } from '../../../src/wires/opencode/source.ts'
import { SessionEvents, withEventIds } from './messages.ts'

const session = new SessionEvents('ses_1')

const text = session.event('message.part.updated', {
  part: {
    id: 'prt_1',
    sessionID: session.id,
    messageID: 'msg_1',
    type: 'text',
    text: 'Hello there',
    time: { start: 1 },
  },
})

const info = session.event('message.updated', {
  info: { id: 'msg_1', sessionID: session.id, role: 'assistant', time: { created: 1 } },
})

it('keeps a part only until its message is reported', () => {
  const [created, part, reported] = withEventIds([session.created(), text, info])
  const { memory } = opencodeSource.translateAll(opencodeSource.initial, [created, part])
  expect(JSON.stringify(opencodeSource.save(memory))).toContain('unattributed')
  const after = opencodeSource.translate(memory, reported).memory
  expect(JSON.stringify(opencodeSource.save(after))).not.toContain('unattributed')
})
