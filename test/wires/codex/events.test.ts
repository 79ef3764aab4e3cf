import { describe, expect, it } from 'vitest'
import { ofType } from '../recordings.ts'
import { readLines } from './made-lines.ts'

type Payload = Readonly<Record<string, unknown>>

const TIME = '2026-11-22T17:00:00.000Z'
const lineOf = (type: string, payload: Payload) => ({ timestamp: TIME, type, payload })
const event = (payload: Payload) => lineOf('event_msg', payload)
const read = (...events: readonly Payload[]) =>
  readLines(
    lineOf('session_meta', { id: 't', cwd: '/srv/demo', cli_version: '0.140.0' }),
    event({ type: 'task_started', turn_id: 'turn' }),
    ...events.map(event),
  )

describe('an event of a rollout', () => {
  it.each(['error', 'warning', 'stream_error'])('%s is a note with its message, or an empty one', (type) => {
    const noteOf = (...facts: readonly Payload[]) => {
      const { state, issues } = read(...facts.map((fact) => ({ type, ...fact })))
      expect(issues.filter(({ code }) => code === 'unknown-block')).toEqual([])
      return [...ofType(state, 'system'), ...ofType(state, 'error')].map((note) => note.message)
    }
    expect(noteOf({ message: 'No answer.' })).toContain('No answer.')
    expect(noteOf({})).toContain('')
  })

  it('shows an image that the model looks at', () => {
    const { state } = read({ type: 'view_image_tool_call', call_id: 'c', path: '/srv/demo/a.png' })
    expect(JSON.stringify(ofType(state, 'tool_use'))).toContain('/srv/demo/a.png')
  })

  it.each([
    [{ status: 'completed' }, false],
    [{ success: false }, true],
  ])('shows a patch with %j', (facts, isError) => {
    const changes = { '/srv/demo/a.txt': { type: 'add', content: 'one\n' } }
    const { state } = read({ type: 'patch_apply_end', call_id: 'c', changes, ...facts })
    expect(ofType(state, 'tool_result').map((result) => result.isError)).toEqual([isError])
  })

  it.each([
    [{ type: 'turn_aborted', completed_at: 1_700_000_000, duration_ms: 5 }, 'interrupted'],
    [{ type: 'turn_aborted' }, 'interrupted'],
    [{ type: 'task_complete', error: { message: 'Broken.' } }, 'failed'],
    [{ type: 'turn_complete', last_agent_message: 'Done.' }, 'finished'],
  ])('%j ends the turn', (end, status) => {
    expect(read({ turn_id: 'turn', ...end }).state.turn.status).toBe(status)
  })

  it('of an unknown or missing type is an issue', () => {
    const { issues } = read({ type: 'new_event' }, {}, { type: 'constructor' })
    expect(issues.map(({ messageType }) => messageType)).toEqual([
      'event_msg/new_event',
      'event_msg/untyped',
      'event_msg/constructor',
    ])
  })
})
