import type { Run, Scenario, ScriptedCall, Step } from './script.ts'
import { DEMO_TOOLS } from './server/demo-tools.ts'

/** Returns a call of a tool of the demo server, which `chance` from 0 to 1 chooses. */
export function toolCall(chance: number): ScriptedCall {
  const { name, contains, fails } = DEMO_TOOLS[Math.floor(chance * DEMO_TOOLS.length)] ?? {
    name: '',
    contains: '',
    fails: false,
  }
  return { does: 'tool', tool: name, contains, fails }
}

/** Returns the scenario with pictures in prompts, prompts for which the person chooses the other model, and a compaction. */
export function withRichRuns(
  { runs, ...rest }: Scenario,
  can: (name: string) => boolean,
  random: () => number,
  compactsBy: 'command' | 'limit',
): Scenario {
  const enriched = runs.map((run, at): Run => {
    const [picture, model] = [random(), random()]
    return {
      ...run,
      ...(picture < 0.4 && can('picture') && { hasPicture: true }),
      ...(at > 0 && model < 0.5 && can('other-model') && { isOtherModel: true }),
    }
  })
  const enrichedScenario = { ...rest, runs: enriched, hasTools: true } as const
  const isCompacted = can('compaction') && random() < 0.5
  return isCompacted ? withCompaction(enrichedScenario, compactsBy, random()) : enrichedScenario
}

const COMPACTS_ABOVE = 20_000

/** Returns the scenario with a compaction between two prompts, or in the middle of a turn when the context has become long. */
function withCompaction(
  { runs, agents, ...rest }: Scenario,
  by: 'command' | 'limit',
  chance: number,
): Scenario {
  const limit = { compactsAbove: COMPACTS_ABOVE }
  const at = 1 + Math.floor(chance * runs.length)
  if (by === 'command')
    return {
      ...rest,
      ...limit,
      agents,
      runs: [...runs.slice(0, at), { prompt: '/compact' }, ...runs.slice(at)],
    }
  const longest = agents[0]?.steps.findLastIndex((step) => 'reply' in step && step.reply.calls !== undefined)
  const withLong = agents.map((agent) =>
    agent.parent === null
      ? { ...agent, steps: agent.steps.map((step, place) => (place === longest ? longStep(step) : step)) }
      : agent,
  )
  return { ...rest, ...limit, runs, agents: withLong }
}

function longStep(step: Step): Step {
  return 'reply' in step ? { reply: { ...step.reply, inputTokens: 1.5 * COMPACTS_ABOVE } } : step
}
