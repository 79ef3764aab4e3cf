import type { ScriptedAgent, Step } from '../script.ts'
import type { ModelRequest } from './dialect.ts'

/** An agent of the script while its session runs. */
export interface Role {
  readonly agent: ScriptedAgent
  /** The number of steps that are over. */
  place: number
  readonly marks: Set<string>
}

/** Finds out which agent of a script a request comes from. No request states it. */
export interface Cast {
  readonly roleOf: (request: ModelRequest) => Role | undefined
}

/**
 * Returns the cast of a script. An agent is known by what the model has said to it before. A new one is known by its prompt, and of several with the
 * same prompt the first comes first.
 */
export function castOf(agents: readonly ScriptedAgent[]): Cast {
  const roles = agents.map((agent): Role => ({ agent, place: 0, marks: new Set() }))
  const isAsked = ({ agent }: Role, text: string) =>
    agent.steps.some((step) => 'prompt' in step && text.includes(step.prompt))
  return {
    roleOf: ({ marks, users }) => {
      for (const mark of marks.toReversed()) {
        const known = roles.findLast((role) => role.marks.has(mark.trim()))
        if (known) return known
      }
      const all = users.join('\n')
      return (
        roles.find((role) => role.place === 0 && isAsked(role, users.at(-1) ?? '')) ??
        roles.find((role) => role.place === 0 && isAsked(role, all)) ??
        roles.find((role) => isAsked(role, all))
      )
    },
  }
}

/** Returns the agent's next step that needs an answer. */
export function nextStep(role: Role): Exclude<Step, { readonly prompt: string }> | undefined {
  for (; role.place < role.agent.steps.length; role.place += 1) {
    const step = role.agent.steps[role.place]
    if (step && !('prompt' in step)) return step
  }
  return undefined
}
