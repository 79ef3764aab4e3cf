import { expect, it } from 'vitest'
import { ofType } from '../../recordings.ts'
import { call, fold, request, stop, update } from '../messages.ts'

it('reports the parts of a prompt and of a call that no block shows, and keeps the other parts', () => {
  const prompt = [{ type: 'text', text: 'Look.' }, { type: 'hologram' }]
  const content = [{ type: 'content', content: { type: 'text', text: 'Seen.' } }, { type: 'hologram' }]
  const { state, issues } = fold([
    request(1, 'session/prompt', { prompt }),
    call('c', { status: 'completed', content }),
    stop(1),
  ])
  expect(ofType(state, 'user_message').map((block) => block.content)).toEqual(['Look.'])
  expect(ofType(state, 'tool_result').map(({ output }) => output)).toEqual(['Seen.'])
  expect(issues).toEqual(['unknown-block session/prompt/hologram', 'unknown-block tool_call/hologram'])
})

it('reports the parts of a summary that no block shows', () => {
  const { issues } = fold([
    update('compaction_update', { compactionId: 'k', status: 'completed', summary: [{ type: 'hologram' }] }),
    update('compaction_summary_chunk', { compactionId: 'k', content: { type: 'hologram' } }),
  ])
  expect(issues).toEqual([
    'unknown-block compaction_update/hologram',
    'unknown-block compaction_summary_chunk/hologram',
  ])
})
