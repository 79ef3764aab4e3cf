import { expect, it } from 'vitest'
import { agUiSource } from '../../../src/entries/ag-ui.ts'
import { ofType } from '../recordings.ts'

it('reports the parts and the messages of a snapshot that no block shows, and keeps the others', () => {
  const messages = [
    { id: 'u', role: 'user', content: [{ type: 'text', text: 'Look.' }, { type: 'hologram' }] },
    {
      id: 'a',
      role: 'assistant',
      content: 'Seen.',
      toolCalls: [{ type: 'function', function: { name: 'x' } }],
    },
    { role: 'assistant', content: 'A message without an id.' },
    { id: 't', role: 'tool', content: 'The result of no call.' },
    { id: 'x', role: 'activity', activityType: 'plan' },
  ]
  const { session, issues } = agUiSource.read(agUiSource.open(), [
    { type: 'RUN_STARTED', threadId: 't', runId: 'r' },
    { type: 'MESSAGES_SNAPSHOT', messages },
    { type: 'RUN_FINISHED', threadId: 't', runId: 'r' },
  ])
  const { state } = session
  expect(ofType(state, 'user_message').map(({ content }) => content)).toEqual(['Look.'])
  expect(ofType(state, 'assistant_text').map(({ content }) => content)).toEqual(['Seen.'])
  expect(issues.map((issue) => Reflect.get(issue, 'messageType')).toSorted()).toEqual([
    'activity',
    'assistant',
    'tool',
    'tool_call',
    'user/hologram',
  ])
})
