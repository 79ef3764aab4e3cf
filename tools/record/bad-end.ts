import type { Run, Scenario, ScriptedAgent, Step } from './script.ts'
import { agentCall, awaiting, main, replied } from './steps.ts'

/** How a turn ends badly. */
export type BadEnd =
  /** The person stops the program in the middle of an answer: of main, or of the agent that it waits for. */
  | { readonly at: number; readonly by: 'interrupt' | 'kill'; readonly agent?: ScriptedAgent }
  /** The server refuses the last request, or the model only thinks. */
  | { readonly at: number; readonly by: 'refusal' | 'thought' }

const STOPS_IN_THE_MIDDLE = replied({
  say: 'This answer stops in its middle, after some of its words, because nobody waits for the rest of them any longer.',
  stops: { afterWords: 12, by: 'silence' },
})

/** Returns the scenario of the turns, of which one ends badly. A turn is its prompt and the answers to it. */
export function endedBadly(
  name: string,
  turns: readonly (readonly Step[])[],
  agents: readonly ScriptedAgent[],
  bad: BadEnd,
): Scenario {
  const isLast = bad.at === turns.length - 1
  const status = stoppedStatus(bad)
  const steps = turns.flatMap((turn, at) =>
    at === bad.at ? [...turn.slice(0, -1), ...lastSteps(bad)] : turn,
  )
  const stops = bad.by === 'interrupt' || bad.by === 'kill' ? bad.by : undefined
  return {
    name,
    agents: [
      { ...main(...steps), ...(isLast && status && { status }) },
      ...agents.map((agent) => ('agent' in bad && agent === bad.agent ? stoppedAgent(agent, status) : agent)),
    ],
    runs: turns.map(([first], at): Run => {
      const prompt = first && 'prompt' in first ? first.prompt : ''
      return at === bad.at && stops ? { prompt, stop: stops } : { prompt }
    }),
    ending: isLast ? endingOf(bad) : 'finished',
  }
}

function lastSteps(bad: BadEnd): readonly Step[] {
  switch (bad.by) {
    case 'refusal':
      return [replied({ status: 400 })]
    case 'thought':
      // Some programs ask again. The others go on with the next prompt.
      return [
        replied({ think: 'A thought without an answer.' }),
        replied({ say: 'The answer after that thought.' }),
      ]
    case 'interrupt':
    case 'kill':
      return bad.agent
        ? [replied({ calls: [agentCall(bad.agent.key, promptOf(bad.agent))] }), awaiting(bad.agent.key)]
        : [STOPS_IN_THE_MIDDLE]
  }
}

/** The last text of an agent is its report. */
function stoppedAgent(agent: ScriptedAgent, status: ScriptedAgent['status'] = 'running'): ScriptedAgent {
  return { ...agent, status, steps: [...agent.steps.slice(0, -1), STOPS_IN_THE_MIDDLE] }
}

export function promptOf({ steps: [first] }: ScriptedAgent): string {
  return first && 'prompt' in first ? first.prompt : ''
}

function stoppedStatus({ by }: BadEnd): 'interrupted' | 'running' | undefined {
  if (by === 'interrupt') return 'interrupted'
  return by === 'kill' ? 'running' : undefined
}

function endingOf(bad: BadEnd): Scenario['ending'] {
  return stoppedStatus(bad) ?? (bad.by === 'refusal' ? 'failed' : 'finished')
}
