import { expect, it } from 'vitest'
import { acpSource } from '../../../../src/wires/acp/source.ts'
import { named, prompt, stop, text } from '../messages.ts'

it('marks the place of a rewind before its branch, whose id is that of the mark', () => {
  const update = { sessionUpdate: 'rewind_marker', target_prompt_index: 0 }
  const { session } = acpSource.read(acpSource.open(), [
    ...named('grok'),
    prompt(1, 'Go.'),
    text('m', 'Done.'),
    stop(1),
  ])
  const { events } = acpSource.read(session, [
    { jsonrpc: '2.0', method: '_x.ai/session/update', params: { sessionId: 's', update } },
  ])
  expect(events).toMatchObject([
    { type: 'block:upsert', block: { type: 'system', subtype: 'rewind' } },
    { type: 'branch:abandoned', blockIds: session.state.blocks.map(({ id }) => id) },
  ])
})
