import { expect, it } from 'vitest'
import { asObject } from '../../../src/core/json/values.ts'
import { saveSession } from '../../../src/reading/save-session.ts'
import { opencodeSource } from '../../../src/wires/opencode/source.ts'
import { SessionEvents, withEventIds } from './messages.ts'

const main = new SessionEvents('ses_1')

const text = main.textStart('msg_1', 'prt_1', 'Hello there')

const info = main.assistantStart('msg_1', { modelID: 'mock-1' })

it('shows the facts of a message that is reported after its part, and saves the text of the part once', () => {
  const [created, part, reported] = withEventIds([main.created(), text, info])
  const { session } = opencodeSource.read(opencodeSource.open(), [created, part])
  expect(session.state.blocks).toMatchObject([{ id: 'prt_1', content: 'Hello there' }])
  const after = opencodeSource.read(session, [reported]).session
  expect(after.state.blocks).toMatchObject([{ id: 'prt_1', content: 'Hello there', model: 'mock-1' }])
  for (const each of [session, after])
    expect(JSON.stringify(asObject(saveSession(each)).notes)).not.toContain('Hello there')
})
