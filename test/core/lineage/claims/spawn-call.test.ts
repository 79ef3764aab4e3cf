import { expect, it } from 'vitest'
import { spawnCall } from '../../../../src/entries/lineage.ts'

it.each(['runSubagent', 'run_subagent', 'dispatch_agent', 'new_task', 'handoff', 'Agent', 'Task', 'task'])(
  'a call of %s starts an agent',
  (tool) => {
    expect(spawnCall(tool, { subagent_type: 'Explore', prompt: 'Look.' })).toEqual({
      agentName: 'Explore',
      prompt: 'Look.',
    })
  },
)

it.each([
  [{ agentName: 'recon', mode: 'm', subagent_type: 's' }, 'recon'],
  [{ mode: 'm', subagent_type: 's' }, 'm'],
  [{ subagent_type: 's' }, 's'],
  [{ agentName: 7 }, 'unknown'],
  [{}, 'unknown'],
  [undefined, 'unknown'],
  ['text', 'unknown'],
])('reads the agent’s name from the call: %j', (input, agentName) => {
  expect(spawnCall('runSubagent', input)).toEqual({ agentName })
})

it('reads the prompt of Codex, whose calls name it a message', () => {
  const input = { message: 'Inspect the README.', agent_type: 'explorer' }
  expect(spawnCall('spawn_agent', input)).toEqual({ agentName: 'explorer', prompt: 'Inspect the README.' })
})

it('reads the input from its JSON', () => {
  const json = JSON.stringify({ subagent_type: 'Explore', prompt: 'Look.' })
  expect(spawnCall('Task', json)).toEqual({ agentName: 'Explore', prompt: 'Look.' })
})

it.each([{ resume: 'a1' }, { task_id: 'a1' }])('reads the id of the resumed agent: %j', (input) => {
  expect(spawnCall('task', input)).toEqual({ agentName: 'unknown', resumes: 'a1' })
})

it.each(['Bash', 'TaskList', '', '__proto__'])('a call of %j starts no agent', (tool) => {
  expect(spawnCall(tool, { agentName: 'recon' })).toBeNull()
})

it('knows the tools of the caller', () => {
  expect(spawnCall('hand_over', { prompt: 'Go.' })).toBeNull()
  const call = spawnCall('hand_over', { agentName: 'scout', prompt: 'Go.' }, { tools: ['hand_over'] })
  expect(call).toEqual({ agentName: 'scout', prompt: 'Go.' })
})
