import { Ajv } from 'ajv'
import { describe, expect, it } from 'vitest'
import type { UserContentPart } from '../../../src/core/state/content.ts'
import { createInitialConversationState, reduceSessionEvents } from '../../../src/entries/index.ts'
import { type AtifTrajectory, toAtif } from '../../../src/sinks/atif/to-atif.ts'
import { inputs, stateOf } from '../../wires/inputs.ts'
import { ofType, recording, replay } from '../../wires/recordings.ts'
import { ATIF_SCHEMA } from './schema.ts'

const validate = new Ajv({ strict: false, formats: { 'date-time': /^\d{4}-\d\d-\d\dT[\d:.]+Z$/ } }).compile(
  ATIF_SCHEMA,
)
const nested = () => replay(recording('06-nested-forward').disk).state

describe('toAtif', () => {
  it('gives a trajectory of the format for every recording', () => {
    for (const input of inputs) {
      const trajectory = toAtif(stateOf(input))
      expect(validate(trajectory) ? [] : validate.errors, input.name).toEqual([])
      checkIds(trajectory, input.name)
    }
  })

  it('gives a trajectory for an empty session', () => {
    expect(validate(toAtif(createInitialConversationState()))).toBe(true)
  })

  it('has the images of a prompt, and the names of its files', () => {
    const url = (name: string) => ({ type: 'url', url: `https://a.example/${name}` }) as const
    const content: readonly UserContentPart[] = [
      { type: 'text', text: 'See.' },
      { type: 'image', source: { type: 'base64', mediaType: 'image/gif', data: 'AAAA' } },
      { type: 'image', source: url('b.png') },
      { type: 'file', name: 'c.pdf', source: url('c') },
      { type: 'file', source: url('d') },
      { type: 'file', source: { type: 'base64', mediaType: 'text/plain', data: 'AAAA' } },
      { type: 'image', source: { type: 'base64', mediaType: 'image/svg+xml', data: 'AAAA' } },
    ]
    const prompt = { id: 'p', type: 'user_message', status: 'complete', content } as const
    const state = reduceSessionEvents(createInitialConversationState(), [
      { type: 'block:upsert', block: prompt },
    ])
    const trajectory = toAtif(state)
    expect(validate(trajectory) ? [] : validate.errors).toEqual([])
    expect(trajectory.steps[0]?.message).toEqual([
      { type: 'text', text: 'See.' },
      { type: 'image', source: { media_type: 'image/gif', path: 'data:image/gif;base64,AAAA' } },
      { type: 'image', source: { media_type: 'image/png', path: 'https://a.example/b.png' } },
      { type: 'text', text: '[file: c.pdf]' },
      { type: 'text', text: '[file: https://a.example/d]' },
      { type: 'text', text: '[file: text/plain]' },
      // The format has images of four types.
      { type: 'text', text: '[image: image/svg+xml]' },
    ])
  })

  it('has each agent inside the agent that called it', () => {
    const { subagent_trajectories: [outer] = [] } = toAtif(nested())
    const [inner] = outer?.subagent_trajectories ?? []
    expect(outer?.agent.name).toBe('general-purpose')
    expect(inner?.steps[0]).toMatchObject({ source: 'user', message: 'Read the README only and report.' })
  })

  it('has every text of main, and its calls with their own names', () => {
    const { state } = replay(recording('03-tools').disk)
    const { steps } = toAtif(state)
    const texts = ofType(state, 'assistant_text').map(({ content }) => content)
    expect(
      steps.flatMap(({ source, message }) => (source === 'agent' && message !== '' ? [message] : [])),
    ).toEqual(texts)
    const names = ofType(state, 'tool_use').map(({ toolName }) => toolName)
    expect(steps.flatMap(({ tool_calls = [] }) => tool_calls.map((call) => call.function_name))).toEqual(
      names,
    )
  })

  it('counts the tokens of each agent once', () => {
    const state = nested()
    const trajectory = toAtif(state)
    const { steps, final_metrics } = trajectory
    const counts = steps.map(({ metrics }) => metrics?.completion_tokens ?? 0)
    expect(final_metrics.total_completion_tokens).toBe(counts.reduce((left, right) => left + right))
    expect(final_metrics.total_completion_tokens).toBe(
      state.usage.reduce((total, { outputTokens = 0 }) => total + outputTokens, 0),
    )
  })
})

/** Steps are numbered from 1, each result has its call in the same step, and each reference its trajectory. */
function checkIds(
  { steps, subagent_trajectories: agents = [], final_metrics }: AtifTrajectory,
  name: string,
): void {
  expect(
    steps.map(({ step_id }) => step_id),
    name,
  ).toEqual(steps.map((_, at) => at + 1))
  expect(final_metrics.total_steps, name).toBe(steps.length)
  for (const { tool_calls = [], observation } of steps)
    expect(observation?.results.map((result) => result.source_call_id) ?? [], name).toEqual(
      tool_calls.map((call) => call.tool_call_id),
    )
  const references = steps.flatMap(({ observation }) =>
    (observation?.results ?? []).flatMap((result) => result.subagent_trajectory_ref ?? []),
  )
  expect(
    references.map((each) => each.trajectory_id),
    name,
  ).toEqual(agents.map((agent) => agent.trajectory_id))
  for (const agent of agents) checkIds(agent, name)
}
