import { expect, it } from 'vitest'
import { mixedScenario } from '../../../tools/record/mixed-scenario.ts'
import { type Scenario, stoppedAgents } from '../../../tools/record/script.ts'
import { DEMO_TOOLS } from '../../../tools/record/server/demo-tools.ts'

const SEEDS = Array.from({ length: 200 }, (_, at) => at)

function scenariosWith(
  cannot: Readonly<Record<string, string>>,
  kind: 'mixed' | 'rough' | 'rich' = 'mixed',
): readonly Scenario[] {
  return SEEDS.flatMap((seed) => mixedScenario(`${kind}-${seed}`, cannot) ?? [])
}

function repliesOf({ agents }: Scenario) {
  return agents.flatMap(({ steps }) => steps.flatMap((step) => ('reply' in step ? [step.reply] : [])))
}

it('makes one scenario from each seed, and the same one again', () => {
  expect(mixedScenario('mixed-7', {})).toEqual(mixedScenario('mixed-7', {}))
  expect(mixedScenario('text', {})).toBeUndefined()
  expect(new Set(scenariosWith({}).map((each) => JSON.stringify(each))).size).toBe(SEEDS.length)
})

it('mixes everything that a program can do', () => {
  const all = scenariosWith({})
  const has = (holds: (each: Scenario) => boolean) => all.some(holds)
  expect(has(({ runs }) => runs.length === 3)).toBe(true)
  expect(has(({ agents }) => agents.some(({ parent }) => parent !== null && parent !== 'main'))).toBe(true)
  expect(has(({ agents }) => agents.some(({ status }) => status === 'error'))).toBe(true)
  for (const stop of ['interrupt', 'kill']) expect(has(({ runs }) => runs.at(-1)?.stop === stop)).toBe(true)
  for (const status of [500, 400])
    expect(has((each) => repliesOf(each).some((reply) => reply.status === status))).toBe(true)
})

it('has what real sessions have, in rough ones', () => {
  const all = scenariosWith({}, 'rough')
  const has = (holds: (each: Scenario) => boolean) => all.some(holds)
  const stopsAt = ({ runs }: Scenario, place: number) => runs.at(place)?.stop
  for (const stop of ['interrupt', 'kill']) {
    expect(has((each) => stopsAt(each, 0) === stop && each.runs.length > 1)).toBe(true)
    expect(has((each) => stopsAt(each, -1) === stop && stoppedAgents(each).length === 1)).toBe(true)
  }
  expect(has(({ ending }) => ending === 'failed')).toBe(true)
  const calls = all.flatMap(repliesOf).flatMap((reply) => reply.calls ?? [])
  for (const kind of ['unknown-tool', 'empty-input'])
    expect(calls.some((call) => call.does === 'mistake' && call.kind === kind)).toBe(true)
  expect(JSON.stringify(all)).toContain('日本語')
  const plain = scenariosWith({ 'odd-characters': 'no' }, 'rough')
  expect(JSON.stringify(plain)).not.toContain('\\u0007')
})

it('has pictures, tools of a server, other models and compactions, in rich ones', () => {
  const all = scenariosWith({}, 'rich')
  const runs = all.flatMap((each) => each.runs)
  expect(runs.some(({ hasPicture }) => hasPicture)).toBe(true)
  expect(runs.some(({ isOtherModel }) => isOtherModel)).toBe(true)
  expect(runs.some(({ prompt }) => prompt === '/compact')).toBe(true)
  const calls = all.flatMap(repliesOf).flatMap((reply) => reply.calls ?? [])
  expect(calls.some(({ does }) => does === 'look')).toBe(true)
  const tools = calls.flatMap((call) => (call.does === 'tool' ? call.tool : []))
  expect(new Set(tools)).toEqual(new Set(DEMO_TOOLS.map(({ name }) => name)))
  const plain = scenariosWith({ picture: 'no', 'other-model': 'no', look: 'no', compaction: 'no' }, 'rich')
  expect(JSON.stringify(plain)).not.toMatch(/hasPicture|isOtherModel|"look"|\/compact/)
})

it('stops the last process, and none before it, where a killed session does not go on', () => {
  const stops = scenariosWith({ 'kill-resume': 'no' }, 'rough').flatMap(({ runs }) =>
    runs.slice(0, -1).flatMap(({ stop }) => stop ?? []),
  )
  expect(new Set(stops)).toEqual(new Set(['interrupt']))
})

it('has nothing that a program cannot do', () => {
  const names = ['agent', 'resume', 'retry', 'interruption', 'kill']
  for (const each of scenariosWith(Object.fromEntries(names.map((name) => [name, 'no']))))
    expect({ agents: each.agents.length, runs: each.runs, ending: each.ending }).toEqual({
      agents: 1,
      runs: [{ prompt: expect.any(String) }],
      ending: 'finished',
    })
})

it('says each text once, so that each has one place', () => {
  for (const each of scenariosWith({ interruption: 'no', kill: 'no' })) {
    const texts = repliesOf(each).flatMap(({ say }) => say ?? [])
    const prompts = each.agents.flatMap(({ steps }) =>
      steps.flatMap((step) => ('prompt' in step ? [step.prompt] : [])),
    )
    const all = [...texts, ...prompts]
    expect(new Set(all).size).toBe(all.length)
  }
})
