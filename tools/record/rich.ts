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

/** Returns the scenario with pictures in prompts, and with prompts for which the person chooses the other model. */
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
  return { ...rest, runs: enriched, hasTools: true }
}
