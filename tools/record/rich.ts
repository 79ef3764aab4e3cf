import type { Run, Scenario, ScriptedCall } from './script.ts'
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
  const isCompacted = can('compaction') && can('compaction-command') && random() < 0.5
  return isCompacted ? withCompaction(enrichedScenario, random()) : enrichedScenario
}

/** A limit of tokens, which no script reaches. With one, the model answers the request for a summary. */
const COMPACTS_ABOVE = 20_000

/** Returns the scenario with a compaction that the person asks for behind a turn. */
function withCompaction({ runs, ...rest }: Scenario, chance: number): Scenario {
  const at = 1 + Math.floor(chance * runs.length)
  const withCommand = [...runs.slice(0, at), { prompt: '/compact' }, ...runs.slice(at)]
  return { ...rest, runs: withCommand, compactsAbove: COMPACTS_ABOVE }
}
